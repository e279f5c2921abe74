import type { BareMetalHostStatus, HostFirmwareComponents, HostFirmwareSettings } from '../../api/index.ts';
import { type ConditionDraft, liveUpdates } from '../conditions/host-conditions.ts';
import { firmwareWishOf } from '../decide/firmware-wish.ts';
import type { HostSeen } from '../decide/seen.ts';
import { stateOf } from '../status/host-status.ts';
import { inUseStates } from '../table/host-table.ts';
import { rebootOf, serviceProblemOf } from './decide-service.ts';
import { allowedBy, describeChange, liveWishOf } from './live-wish.ts';
import { phaseOf } from './service-record.ts';

/**
 * What is to be said about live updates: undefined for a host that may get none and wants none, `kept` where nothing new is known. It
 * tells in words what begins at the next reboot, and why it does not.
 */
export function liveUpdatesCondition(seen: HostSeen, status: BareMetalHostStatus): ConditionDraft | 'kept' | undefined {
  const allowed = allowedBy(seen);
  if (!inUseStates.includes(stateOf(status)) || status.operationalStatus === 'detached') return undefined;
  const phase = phaseOf(status);
  if (phase === 'none' && !allowed.settings && !allowed.updates) return forbidden(seen);
  if (phase === 'servicing') {
    const { found, drain } = seen.nodes;
    const waits = drain?.kind === 'waits' ? drain : found?.kind === 'unreadable' ? found : undefined;
    if (waits !== undefined) return [liveUpdates, 'True', 'Draining', `its Node is drained before: ${waits.message}`];
    return servicing(seen, status);
  }
  if (phase === 'giving up') return [liveUpdates, 'True', 'GivingUp', 'a live update is being given up'];
  if (phase === 'failed') return [liveUpdates, 'False', 'Failed', `a live update failed: ${status.errorMessage}`];
  if (seen.answers.look?.kind !== 'done') return 'kept';
  return atRest(seen);
}

/** What is being changed, and how far that is; what was said last stays where its provisioner was not asked just now. */
function servicing(seen: HostSeen, status: BareMetalHostStatus): ConditionDraft | 'kept' {
  const { service } = seen.answers;
  // Asked for just now, or not in this round.
  const isSaid = status.conditions?.some(({ type, reason }) => type === liveUpdates && reason === 'Servicing');
  if (service === undefined && isSaid === true) return 'kept';
  const progress =
    service?.kind === 'continue' ? service.progress : service?.kind === 'busy' ? service.message : undefined;
  const what = `a live update is under way: ${describeChange(liveWishOf(seen))}`;
  return [liveUpdates, 'True', 'Servicing', progress === undefined ? what : `${what}; ${progress}`];
}

/** What is wanted and not allowed while the host is in use. */
function forbidden(seen: HostSeen): ConditionDraft | undefined {
  const allowed = allowedBy(seen);
  const wish = firmwareWishOf({
    firmwareSettings: allowed.settings ? undefined : seen.firmwareSettings,
    firmwareComponents: allowed.updates ? undefined : seen.firmwareComponents,
  });
  if (wish.settings === undefined && wish.updates === undefined) return undefined;
  const what = describeChange(wish);
  const message = `no HostUpdatePolicy allows it while the host is in use, so it waits until it is prepared again: ${what}`;
  return [liveUpdates, 'False', 'HostInUse', message];
}

/** What is specified and allowed, and cannot be. */
function invalidIn(seen: HostSeen): string | undefined {
  const allowed = allowedBy(seen);
  const reasons = [
    ...(allowed.settings ? [invalidity('HostFirmwareSettings', seen.firmwareSettings)] : []),
    ...(allowed.updates ? [invalidity('HostFirmwareComponents', seen.firmwareComponents)] : []),
  ].filter((each) => each !== undefined);
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

function invalidity(
  kind: string,
  companion: HostFirmwareSettings | HostFirmwareComponents | undefined,
): string | undefined {
  const { generation } = companion?.metadata ?? {};
  const valid = companion?.status?.conditions?.find(({ type }) => type === 'Valid');
  if (valid?.status !== 'False' || valid.observedGeneration !== generation) return undefined;
  return `${kind} is invalid: ${valid.message}`;
}

function atRest(seen: HostSeen): ConditionDraft {
  const problem = serviceProblemOf(seen);
  if (problem !== undefined) return [liveUpdates, 'False', 'NotSupported', `live updates are ignored: ${problem}`];
  const wish = liveWishOf(seen);
  const isWanted = wish.settings !== undefined || wish.updates !== undefined;
  const invalid = invalidIn(seen);
  if (!isWanted && invalid !== undefined) return [liveUpdates, 'False', 'Invalid', `nothing is changed: ${invalid}`];
  if (!isWanted) return forbidden(seen) ?? [liveUpdates, 'True', 'NothingToChange', ''];
  const what = `${describeChange(wish)}${invalid === undefined ? '' : `; left out: ${invalid}`}`;
  if (rebootOf(seen, 'none') === 'held') {
    return [liveUpdates, 'False', 'HeldOff', `waits until nobody holds the host off with a reboot annotation: ${what}`];
  }
  const { capacity } = seen.answers;
  if (capacity?.kind === 'done' && !capacity.value) {
    return [liveUpdates, 'True', 'Delayed', `waits until fewer hosts are worked on: ${what}`];
  }
  return [liveUpdates, 'True', 'WaitsForReboot', `changed at the next reboot: ${what}`];
}
