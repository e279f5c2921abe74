import type { JsonObject } from '../../engine/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { Launcher, LaunchOrder } from '../launchers/launcher.ts';
import type { JobRunnerOptions } from '../runner/runner-options.ts';
import type { UpdateDesks } from '../update-desks.ts';
import type { UpdateRig } from './update-rig.ts';

/** For tests: jobs that live outside of everything that a test restarts. */
export interface OutsideJobs {
  readonly launcher: Launcher;
  /** Every job that was really started, in order. */
  readonly launched: LaunchOrder[];
  readonly interrupted: { readonly job: string; readonly isForced: boolean }[];
  /** Ends a job without a word. */
  kill(index: number): void;
  /** A job takes its work. */
  take(desks: Pick<UpdateDesks, 'jobs'>, index: number): Promise<unknown>;
  /** A job tells how far it is. */
  report(desks: Pick<UpdateDesks, 'jobs'>, index: number): Promise<{ readonly isCancelAsked: boolean }>;
  /** The proof of a job. */
  proof(index: number): { readonly jobId: string; readonly token: string };
}

/** For tests: makes the place where they live. */
export function createOutsideJobs(scope = 'here'): OutsideJobs {
  const launched: LaunchOrder[] = [];
  const alive = new Map<string, string>();
  const interrupted: { job: string; isForced: boolean }[] = [];
  const nameOf = (handle: JsonObject): string => String(handle.job);
  const look = async (handle: JsonObject) =>
    alive.has(nameOf(handle)) ? ({ state: 'running' } as const) : ({ state: 'gone', why: 'it was killed' } as const);
  const orderAt = (index: number): LaunchOrder => {
    const order = launched[index];
    if (order === undefined) throw new Error(`there is no job ${index}`);
    return order;
  };
  const proof = (index: number) => ({ jobId: orderAt(index).jobId, token: orderAt(index).token });
  return {
    launched,
    interrupted,
    proof,
    launcher: {
      name: 'outside',
      scope: async () => scope,
      async launch(order) {
        if (alive.get(order.jobId) !== order.token) {
          launched.push(order);
          alive.set(order.jobId, order.token);
        }
        return { handle: { job: order.jobId } };
      },
      look,
      async interrupt(handle, { isForced }) {
        interrupted.push({ job: nameOf(handle), isForced });
        if (isForced) alive.delete(nameOf(handle));
        return await look(handle);
      },
      async close() {},
    },
    kill: (index) => alive.delete(orderAt(index).jobId),
    take: (desks, index) => desks.jobs.take(proof(index), { address: '', taker: `job ${index}` }),
    report: (desks, index) =>
      desks.jobs.progress(proof(index), {
        percent: 10,
        message: 'it works',
        progressJson: '{"step":1}',
        statusJson: '',
        sessionUri: '',
        isCancelUnsafe: undefined,
      }),
  };
}

/** For tests: what a job runner needs, on a rig. */
export function runnerParts(
  rig: Pick<UpdateRig, 'engine' | 'desks' | 'clock'>,
  jobs: Pick<OutsideJobs, 'launcher'>,
  more: Partial<JobRunnerOptions> & { readonly id: string },
): JobRunnerOptions {
  return {
    engine: rig.engine,
    launcher: jobs.launcher,
    tokens: rig.desks.tokens,
    strategy: 'redfish',
    facilities: ['fc1'],
    concurrency: 4,
    clock: rig.clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noMetrics,
    ...more,
  };
}
