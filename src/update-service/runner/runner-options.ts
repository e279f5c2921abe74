import type { Bus, Condition, Engine, ReleaseOptions } from '../../engine/index.ts';
import { backoffDelay, type Clock, type Random } from '../../kube/index.ts';
import type { Logger, Metrics, Tracer } from '../../telemetry/index.ts';
import type { JobTokens } from '../jobs/job-tokens.ts';
import { jobTypeOf } from '../jobs/show-job.ts';
import { readDiscoverParameters } from '../kinds.ts';
import type { Launcher, LaunchOrder } from '../launchers/launcher.ts';

const launchAgain = { baseMs: 15_000, maxMs: 10 * 60_000 };

/** What a job runner is made of. */
export interface JobRunnerOptions {
  readonly engine: Pick<Engine, 'worker' | 'get' | 'list' | 'onHint' | 'machines' | 'kinds'>;
  readonly launcher: Launcher;
  readonly tokens: JobTokens;
  /** Name of the strategy of this instance. */
  readonly strategy: string;
  /** Where servers are that it works on; discoveries it does for all. */
  readonly facilities: readonly string[];
  /** Jobs at once. */
  readonly concurrency: number;
  /** Kinds of conditions; updates, scans and discoveries unless given. */
  readonly kinds?: readonly string[];
  /**
   * Who it is for the engine. With jobs inside, the same in each life takes up at once what the one before left; with jobs
   * outside it has to be another one in each life.
   */
  readonly id: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Jobs go on with the traces of whoever asked for them. */
  readonly tracer?: Tracer | undefined;
  readonly bus?: Pick<Bus, 'listen'> | undefined;
  /** How often jobs outside are looked at; 2 s unless given. */
  readonly lookMs?: number;
  /** How long a job that somebody cancelled may take to stop by itself; a minute unless given. */
  readonly interruptMs?: number;
}

/** A job runner while it runs: a pool that leases jobs from the engine and launches each. */
export interface JobRunner {
  /** Jobs that it launched, or found again, and that are not over. */
  readonly running: number;
  /** Resolves once the engine knows of it. */
  readonly online: Promise<void>;
  /** Launches no more. Jobs inside are let go at safe points; jobs outside go on, and the next life finds them. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Work that could not begin: nothing was done, so that the job is not to blame. It waits, each time longer. */
export function notBegun({ random }: Pick<JobRunnerOptions, 'random'>, { leases }: Condition): ReleaseOptions {
  const afterMs = Math.round(backoffDelay(launchAgain, leases, random));
  return { afterMs, isNotCounted: true, areLeftoversKept: true };
}

/** What a launcher is told of a job. */
export async function orderOf(
  { engine, tokens, strategy }: Pick<JobRunnerOptions, 'engine' | 'tokens' | 'strategy'>,
  work: LaunchOrder['work'],
): Promise<LaunchOrder> {
  const { condition, lease } = work;
  const type = jobTypeOf(condition.kind);
  if (type === undefined) throw new TypeError(`${condition.kind} is no kind of job`);
  const machineId = condition.target.startsWith('server/') ? condition.target.slice('server/'.length) : '';
  const { manufacturer = '', model = '' } =
    type === 'discovery'
      ? readDiscoverParameters(condition.parameters)
      : ((await engine.machines.get(machineId)) ?? {});
  const token = tokens.issue({ conditionId: condition.id, token: lease.token });
  return { jobId: condition.id, type, manufacturer, model, strategy, token, work };
}
