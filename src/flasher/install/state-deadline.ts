import { rowsFrom } from '../../kube/index.ts';
import { type InstallState, installTable } from './install-table.ts';
import type { InstallProgress } from './progress.ts';
import type { InstallSettings } from './settings.ts';

const minute = 60_000;

/** What a resumed install gets where the time of its state ran out while nobody worked on it: enough to read the BMC. */
export const resumeGraceMs = 10 * minute;

/** After a cancel the power of the host is restored for so long at most: a BMC may be restarting, or gone. */
export const cancelledRestoreMs = 10 * minute;

/** A step whose own deadline is set longer than the table allows for gets that and this much more. */
const marginMs = 10 * minute;

/** The settings that times of states depend on. */
type DeadlineSettings = Pick<InstallSettings, 'findMs' | 'followMs' | 'settleMs' | 'verify'>;

/** How long an install may be in a state, all tries and all workers together. */
export function stateLimitMs(state: InstallState, settings: DeadlineSettings): number {
  const limits = rowsFrom(installTable, state).map(({ within }) => within ?? 0);
  return Math.max(...limits, (ownDeadlineMs(state, settings) ?? 0) + marginMs);
}

/** How long the step of a state waits for its outcome, where it has such a time of its own. */
function ownDeadlineMs(state: InstallState, settings: DeadlineSettings): number | undefined {
  switch (state) {
    case 'finding':
      return settings.findMs;
    case 'settling':
      return settings.settleMs;
    case 'keeping-off':
    case 'awaiting-other':
    case 'following':
      return settings.followMs;
    case 'verifying':
      return settings.verify.deadlineMs;
    default:
      return undefined;
  }
}

/** When the state of an install is over, by the store's time. */
export function stateEndsAt(
  { state, since, extendedTo = 0 }: Pick<InstallProgress, 'state' | 'since' | 'extendedTo'>,
  about: { readonly settings: DeadlineSettings; readonly cancelledAt?: number | undefined },
): number {
  const { settings, cancelledAt } = about;
  const endsAt = Math.max(since + stateLimitMs(state, settings), extendedTo);
  if (state !== 'restoring-power' || cancelledAt === undefined) return endsAt;
  return Math.min(endsAt, Math.max(since, cancelledAt, extendedTo - resumeGraceMs) + cancelledRestoreMs);
}

/** True where a worker that resumes at a state would have no time left for it, or for what its step waits for. */
export function hasNoTimeLeft(
  progress: Pick<InstallProgress, 'state' | 'since' | 'extendedTo'>,
  about: Parameters<typeof stateEndsAt>[1] & { readonly now: number },
): boolean {
  const own = ownDeadlineMs(progress.state, about.settings) ?? Number.POSITIVE_INFINITY;
  return Math.min(stateEndsAt(progress, about), progress.since + own) <= about.now;
}

/** More than any install enters a state that gets on: rounds end that get nowhere, however fast each of them is. */
export function mostEntries(slots: number): number {
  return 20 + 3 * slots;
}
