import { type PlannedServer, type SkipCode, told } from './match-slots.ts';
import type { InstallPlan, SkippedFirmware } from './plan-install.ts';

/**
 * What a plan comes to. `install`: there is something to do. `satisfied`: nothing is left to do, and at least one image is
 * installed already or was left out on request. `nothing-fits`: no image can be installed on this server. `unsure`: the host
 * is off and its BMC may not show all parts.
 */
export type PlanOutcome = 'install' | 'satisfied' | 'nothing-fits' | 'unsure';

/** Skipped, and yet the request is met: the version is there, comes with another image, or was not to go back. */
const satisfiedSkips: readonly SkipCode[] = ['current', 'duplicate', 'older'];

/** True for an image that was asked for, is not installed, and was not left out on request. */
export function isUnmet({ why }: { readonly why: string }): boolean {
  return !(satisfiedSkips as readonly string[]).includes(why);
}

/** Decides what a plan without problems comes to, before the host is touched. */
export function assessPlan(
  { actions, skipped }: Pick<InstallPlan, 'actions' | 'skipped'>,
  { server, isHostOff }: { readonly server: PlannedServer; readonly isHostOff: boolean },
): PlanOutcome {
  if (actions.length > 0) return 'install';
  if (isHostOff && skipped.some((one) => mayBeHidden(one, server))) return 'unsure';
  return skipped.some(({ why }) => why === 'current' || why === 'older') ? 'satisfied' : 'nothing-fits';
}

/** Parts that a BMC may learn of from the host's self-test only. */
const learntFromHost: readonly string[] = ['nic', 'drive', 'storage-controller', 'gpu'];

function mayBeHidden({ firmware, why }: SkippedFirmware, { manufacturer, model, slots }: PlannedServer): boolean {
  if (why === 'no-version') return true;
  if (why === 'other-model' || why === 'other-vendor') return manufacturer === undefined || model === undefined;
  if (why !== 'absent' || !learntFromHost.includes(firmware.component)) return false;
  return !slots.some(({ component }) => learntFromHost.includes(component));
}

const mostShown = 5;

/** Names the images that a server cannot take, each with its reason. */
export function describeSkipped(skipped: readonly Pick<SkippedFirmware, 'firmware' | 'message'>[]): string {
  const shown = skipped
    .slice(0, mostShown)
    .map(({ firmware, message }) => (message.includes(told(firmware)) ? message : `${told(firmware)}: ${message}`));
  const more = skipped.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
