import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { type Activation, activationOf, startPatienceMs } from '../vendors/index.ts';
import { type PollOptions, type ProgressLook, pollProgress } from './poll-progress.ts';
import type { StartedUpdate, UpdateProgress } from './update.ts';

/** What is seen at one look. */
export interface InstallLook extends ProgressLook {
  /** Nothing moved for longer than `stallMs`. It may still go on: BMCs sit at one percentage for minutes. */
  readonly isStalled: boolean;
}

/** How an update is followed. */
export interface FollowInstallOptions extends PollOptions {
  /** Called after each look; `stop` ends the following, not the update. */
  readonly onProgress?: (look: InstallLook) => undefined | 'stop' | Promise<undefined | 'stop'>;
  /** After how long without a change an update is called stalled; 10 minutes unless given. */
  readonly stallMs?: number;
  /** A task that ends with a warning counts as failed; it counts as completed unless set. */
  readonly isWarningFailure?: boolean;
}

/** How the following of an update ended. What completed must still be verified. */
export type InstallOutcome =
  | {
      readonly kind: 'completed';
      readonly hasWarning: boolean;
      readonly message: string;
      readonly activation: Activation;
    }
  | { readonly kind: 'gone'; readonly message: string; readonly activation: Activation }
  | { readonly kind: 'waits-for-reset'; readonly reset: 'host' | 'bmc'; readonly message: string }
  /** Uploaded only: call continueInstall, store what it returns, and follow that. */
  | { readonly kind: 'waits-for-start'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly messageIds: readonly string[] }
  /** Not over in time; nothing was done about it. */
  | { readonly kind: 'deadline'; readonly message: string; readonly last: InstallLook }
  | { readonly kind: 'stopped'; readonly last: InstallLook };

/** Polls until the BMC is done with its part, or waits for somebody. An outage of the BMC is waited out. */
export async function followInstall(
  bmc: Bmc,
  started: StartedUpdate,
  options: FollowInstallOptions,
): Promise<InstallOutcome> {
  const isOfBmc = started.component === 'bmc';
  const endOutage = isOfBmc ? bmc.gate.expectOutage() : () => {};
  try {
    return await follow(bmc, started, options);
  } finally {
    endOutage();
  }
}

async function follow(bmc: Bmc, started: StartedUpdate, options: FollowInstallOptions): Promise<InstallOutcome> {
  const stallMs = options.stallMs ?? 10 * 60_000;
  let last: InstallLook | undefined;
  for await (const look of pollProgress(bmc, started, options)) {
    last = { ...look, isStalled: look.unchangedMs >= stallMs };
    throwIfLockedOut(bmc, started, look.progress);
    const wish = await options.onProgress?.(last);
    const outcome = await outcomeOf({ bmc, started, look, isWarningFailure: options.isWarningFailure === true });
    if (outcome !== undefined) return outcome;
    if (wish === 'stop') return { kind: 'stopped', last };
  }
  if (last === undefined) throw new BmcError('cancelled', { origin: bmc.gate.origin });
  return { kind: 'deadline', last, message: deadlineMessage(last, options.deadlineMs) };
}

interface Seen {
  readonly bmc: Bmc;
  readonly started: StartedUpdate;
  readonly look: ProgressLook;
  readonly isWarningFailure: boolean;
}

async function outcomeOf({ bmc, started, look, isWarningFailure }: Seen): Promise<InstallOutcome | undefined> {
  const { progress } = look;
  switch (progress.kind) {
    case 'completed': {
      const { hasWarning, message } = progress;
      if (hasWarning && isWarningFailure) return { kind: 'failed', message, messageIds: [] };
      return { kind: 'completed', hasWarning, message, activation: await activation(bmc, started) };
    }
    case 'gone':
      return { kind: 'gone', message: progress.message, activation: await activation(bmc, started) };
    case 'failed':
      return progress;
    case 'waits-for-start':
      return progress;
    case 'waits-for-bmc-reset':
      return { kind: 'waits-for-reset', reset: 'bmc', message: progress.message };
    case 'waits-for-host-reset':
      return isPassing(started, look)
        ? undefined
        : { kind: 'waits-for-reset', reset: 'host', message: progress.message };
    default:
      return undefined;
  }
}

/** An immediate update is queued for a moment before it begins; only one that stays queued waits for the host. */
function isPassing(started: StartedUpdate, look: ProgressLook): boolean {
  return started.applyTime === 'Immediate' && look.unchangedMs <= startPatienceMs;
}

async function activation(bmc: Bmc, started: StartedUpdate): Promise<Activation> {
  const { vendor } = await bmc.root();
  return activationOf(vendor, started.component ?? 'other', started.applyTime);
}

/** A BMC that is being written refuses good credentials for a while; any other one that refuses them means it. */
function throwIfLockedOut(bmc: Bmc, started: StartedUpdate, progress: UpdateProgress): void {
  if (progress.kind !== 'unreachable' || progress.code !== 'credentials' || started.component === 'bmc') return;
  throw new BmcError('credentials', { origin: bmc.gate.origin, username: '(as configured)' });
}

function deadlineMessage({ progress, unchangedMs, isStalled }: InstallLook, deadlineMs: number): string {
  const stalled = isStalled ? `; nothing has moved for ${Math.round(unchangedMs / 1000)} s` : '';
  return `the update was not over after ${Math.round(deadlineMs / 1000)} s: ${progress.message}${stalled}`;
}
