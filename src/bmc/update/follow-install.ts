import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { StartedUpdate, UpdateProgress } from '../firmware-update.ts';
import { type Activation, activationOf, isResetDue, startPatienceMs } from '../vendors/index.ts';
import { type PollOptions, type ProgressLook, pollProgress } from './poll-progress.ts';

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
  /** How long an update may be queued before the host is reset for it; 30 s unless given. */
  readonly startPatienceMs?: number;
  /** A task that ends with a warning counts as failed; it counts as completed unless set. */
  readonly isWarningFailure?: boolean;
  /** The reset that it waited for was done: it takes a while until the task notices, and some never do. */
  readonly hasReset?: boolean;
}

/** How the following of an update ended. What completed must still be verified. */
export type InstallOutcome =
  | {
      readonly kind: 'completed';
      readonly hasWarning: boolean;
      readonly message: string;
      readonly activation: Activation;
    }
  /** Nothing more can be seen of it, and it may still be written: verify, and reset nothing before `goneSettleMs`. */
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
    const outcome = await outcomeOf({ bmc, started, look, options });
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
  readonly options: FollowInstallOptions;
}

async function outcomeOf(seen: Seen): Promise<InstallOutcome | undefined> {
  const { bmc, started, look, options } = seen;
  const { progress } = look;
  switch (progress.kind) {
    case 'completed': {
      const { hasWarning, message } = progress;
      if (hasWarning && options.isWarningFailure === true) return { kind: 'failed', message, messageIds: [] };
      return { kind: 'completed', hasWarning, message, activation: await activation(bmc, started) };
    }
    case 'gone':
      return { kind: 'gone', message: progress.message, activation: await activation(bmc, started) };
    case 'failed':
    case 'waits-for-start':
      return progress;
    case 'waits-for-bmc-reset':
    case 'waits-for-host-reset':
      return resetOutcome(seen, progress);
    case 'running':
      return queuedOutcome(seen);
    default:
      return undefined;
  }
}

async function resetOutcome(
  { bmc, started, look, options }: Seen,
  progress: Extract<UpdateProgress, { kind: 'waits-for-host-reset' | 'waits-for-bmc-reset' }>,
): Promise<InstallOutcome | undefined> {
  const { message } = progress;
  if (options.hasReset !== true) {
    const reset = progress.kind === 'waits-for-bmc-reset' ? 'bmc' : 'host';
    return isPassing(started, look, options) && progress.isTaskOver !== true
      ? undefined
      : { kind: 'waits-for-reset', reset, message };
  }
  if (progress.isTaskOver !== true) return undefined;
  return { kind: 'completed', hasWarning: false, message, activation: await activation(bmc, started) };
}

/** A queued task of host firmware that does not begin waits for the host, without the BMC saying so. */
async function queuedOutcome({ bmc, started, look, options }: Seen): Promise<InstallOutcome | undefined> {
  const { progress, unchangedMs } = look;
  if (options.hasReset === true || progress.kind !== 'running' || progress.isQueued !== true) return undefined;
  const component = started.component ?? 'other';
  const seen = { component, progress, hasReset: false, unchangedMs, patienceMs: options.startPatienceMs };
  const question = { ...seen, activation: await activation(bmc, started) };
  if (isResetDue(question) !== 'host') return undefined;
  return { kind: 'waits-for-reset', reset: 'host', message: `${progress.message}; it does not begin by itself` };
}

/** An immediate update is queued for a moment before it begins; only one that stays queued waits for the host. */
function isPassing(started: StartedUpdate, look: ProgressLook, options: FollowInstallOptions): boolean {
  return started.applyTime === 'Immediate' && look.unchangedMs <= (options.startPatienceMs ?? startPatienceMs);
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
