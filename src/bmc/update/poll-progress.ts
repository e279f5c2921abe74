import { backoffDelay, sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { StartedUpdate, UpdateProgress } from '../firmware-update.ts';
import { readProgress } from './read-progress.ts';

/** How an update is polled. */
export interface PollOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** First and longest time between two looks: 1 s and 30 s unless given. */
  readonly pollMs?: { readonly first: number; readonly most: number };
}

/** One look at an update. */
export interface ProgressLook {
  readonly progress: UpdateProgress;
  /** For how long neither kind nor percentage has changed. */
  readonly unchangedMs: number;
}

/**
 * Looks at an update again and again until whoever iterates has seen enough or the deadline is over, with growing time
 * between the looks while nothing changes. Throws BmcError `cancelled` with the signal.
 */
export async function* pollProgress(
  bmc: Bmc,
  started: StartedUpdate,
  options: PollOptions,
): AsyncGenerator<ProgressLook, void, void> {
  const { clock, random } = bmc;
  const end = clock.monotonic() + options.deadlineMs;
  const backoff = { baseMs: options.pollMs?.first ?? 1000, maxMs: options.pollMs?.most ?? 30_000 };
  let last: { readonly key: string; readonly since: number } | undefined;
  for (let looks = 1; ; looks += 1) {
    throwIfCancelled(bmc, options.signal);
    const progress = await readProgress(bmc, started);
    const now = clock.monotonic();
    const key = keyOf(progress);
    if (last?.key !== key) {
      last = { key, since: now };
      looks = 1;
    }
    yield { progress, unchangedMs: now - last.since };
    const left = end - clock.monotonic();
    // Less than a millisecond may be too little to be added to the clock's time, which would then stand still.
    if (left < 1) return;
    await sleep(clock, Math.min(left, backoffDelay(backoff, looks, random)), options.signal);
  }
}

function keyOf(progress: UpdateProgress): string {
  if (progress.kind !== 'running') return progress.kind;
  return `${progress.isQueued === true ? 'queued' : 'running'} ${progress.percent ?? ''}`;
}

function throwIfCancelled(bmc: Bmc, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new BmcError('cancelled', { origin: bmc.gate.origin });
}
