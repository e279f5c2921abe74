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
const marginMs = 30 * minute;

/** How long an install may be in a state, all tries and all workers together. */
export function stateLimitMs(state: InstallState, settings: Pick<InstallSettings, 'followMs' | 'verify'>): number {
  const limits = rowsFrom(installTable, state).map(({ within }) => within ?? 0);
  return Math.max(...limits, (ownDeadlineMs(state, settings) ?? 0) + marginMs);
}

/** What operators may set. */
function ownDeadlineMs(state: InstallState, settings: Pick<InstallSettings, 'followMs' | 'verify'>) {
  switch (state) {
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
  about: { readonly settings: Pick<InstallSettings, 'followMs' | 'verify'>; readonly cancelledAt?: number | undefined },
): number {
  const { settings, cancelledAt } = about;
  const endsAt = Math.max(since + stateLimitMs(state, settings), extendedTo);
  if (state !== 'restoring-power' || cancelledAt === undefined) return endsAt;
  return Math.min(endsAt, Math.max(since, cancelledAt, extendedTo - resumeGraceMs) + cancelledRestoreMs);
}

/** More than any install enters a state that gets on: rounds end that get nowhere, however fast each of them is. */
export function mostEntries(slots: number): number {
  return 20 + 3 * slots;
}
