import type { Condition } from '../../engine/index.ts';
import { sleep } from '../../kube/index.ts';
import { handleOf, hasBegun, type LaunchRecord, readLaunch } from '../jobs/launch-record.ts';
import type { JobSight } from '../launchers/launcher.ts';
import { type JobRunnerOptions, notBegun } from './runner-options.ts';

/** A job outside this process. */
export interface SupervisedJob {
  readonly job: string;
  readonly launch: LaunchRecord;
}

/**
 * Looks after a job until it is over, whoever launched it: tells it when it is cancelled, ends it when its lease is gone,
 * and gives its work back when it died without a word. Returns early when the signal aborts; the job then goes on.
 */
export async function superviseJob(
  options: JobRunnerOptions,
  { job, launch }: SupervisedJob,
  signal: AbortSignal,
): Promise<void> {
  const { engine, launcher, logger, interruptMs = 60_000 } = options;
  let isToldToStop = false;
  const isStuck = watchBegin(options);
  while (!signal.aborted) {
    const condition = await engine.get(job);
    const current = condition === undefined ? launch : (readLaunch(condition) ?? launch);
    const handle = handleOf(current.token === launch.token ? current : launch);
    if (condition === undefined || !isHeld(condition, launch)) {
      await endLeftOver(options, { handle, condition }, signal);
      return;
    }
    if (condition.cancel !== undefined && !isToldToStop) {
      isToldToStop = true;
      // Not waited for: it may be in the middle of something that must not be interrupted.
      launcher
        .interrupt(handle, { timeoutMs: interruptMs, isForced: false })
        .catch((error: unknown) =>
          logger.warn('a job was not told to stop; it hears it with its next report', { job, error }),
        );
    }
    const found = await launcher.look(handle);
    const sight = found.state === 'running' && isStuck(condition, current) ? await endStuck(options, handle) : found;
    if (sight.state === 'gone') {
      await giveUpDead(options, { job, launch }, sight.why);
      await launcher.bury?.(handle);
      return;
    }
    // Of one that is not seen, the lease tells when it is over.
    await rest(options, job, signal);
  }
}

/**
 * Says of a job that it did not take its work in most of the time of its lease, as where a cluster has no room for it. When
 * its lease ended it would be to blame for that.
 */
function watchBegin({ engine, clock }: JobRunnerOptions): (condition: Condition, launch: LaunchRecord) => boolean {
  let seen: { readonly leaseUntil: number | undefined; readonly at: number } | undefined;
  return ({ kind, leaseUntil }, launch) => {
    if (hasBegun(launch)) return false;
    // By the clock of this process alone: that of the store may be another.
    if (seen?.leaseUntil !== leaseUntil) seen = { leaseUntil, at: clock.monotonic() };
    const leaseMs = engine.kinds.find((one) => one.kind === kind)?.leaseMs ?? Number.POSITIVE_INFINITY;
    return clock.monotonic() - (seen?.at ?? 0) >= leaseMs * 0.75;
  };
}

async function endStuck({ launcher }: JobRunnerOptions, handle: LaunchRecord['handle']): Promise<JobSight> {
  const sight = await launcher.interrupt(handle, { timeoutMs: 0, isForced: true });
  return sight.state === 'gone' ? { ...sight, why: 'it did not take its work in time' } : sight;
}

function isHeld({ state, fencingToken }: Condition, launch: LaunchRecord): boolean {
  return state === 'active' && fencingToken === launch.token;
}

/** It may have told its end just before it was gone: then there is nothing to do. */
async function giveUpDead(options: JobRunnerOptions, { job, launch }: SupervisedJob, why: string): Promise<void> {
  const { engine, logger } = options;
  const condition = await engine.get(job);
  if (condition === undefined || !isHeld(condition, launch)) return;
  logger.warn('a job is gone and did not tell how it ended', { job, why });
  const held = { conditionId: job, token: launch.token };
  if (!hasBegun(readLaunch(condition) ?? launch)) {
    await engine.worker.release(held, `the job could not begin: ${why}`, notBegun(options, condition));
    return;
  }
  // What it left open at the BMC is for the next one to end.
  const how = { afterMs: 10_000, isHolderGone: true };
  await engine.worker.release(held, `the job is gone and did not tell how it ended: ${why}`, how);
}

/** One that told its end may take a moment to go; one that lost its lease must not go on. */
async function endLeftOver(
  options: JobRunnerOptions,
  { handle, condition }: { readonly handle: LaunchRecord['handle']; readonly condition: Condition | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { launcher, clock, interruptMs = 60_000, lookMs = 2000 } = options;
  const end = clock.monotonic() + (hasReportedItsEnd(condition) ? interruptMs : 0);
  for (;;) {
    if ((await launcher.look(handle)).state === 'gone') return await launcher.bury?.(handle);
    const left = end - clock.monotonic();
    if (left <= 0) break;
    await sleep(clock, Math.min(left, lookMs), signal);
    // The next life of the runner looks for what is left of it.
    if (signal.aborted) return;
  }
  await launcher.interrupt(handle, { timeoutMs: 5000, isForced: true });
}

/** A job that reported how it ended closes its interface and goes by itself: to ask it to stop would find nobody. */
function hasReportedItsEnd(condition: Condition | undefined): boolean {
  if (condition?.state === 'succeeded') return true;
  return condition?.state === 'failed' && condition.cancel === undefined;
}

async function rest(
  { engine, clock, lookMs = 2000 }: JobRunnerOptions,
  job: string,
  signal: AbortSignal,
): Promise<void> {
  const woken = new AbortController();
  const unlisten = engine.onHint(({ conditionId }) => {
    if (conditionId === job) woken.abort();
  });
  await sleep(clock, lookMs, AbortSignal.any([woken.signal, signal]));
  unlisten();
}
