import type { BareMetalHostStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { notedIdOf } from '../annotations/discovery-note.ts';
import { isInspectionAsked, rebootWishOf } from '../annotations/read-annotations.ts';
import { type ConditionDraft, powerManagement } from '../conditions/host-conditions.ts';
import { isVersion, isWithoutBmc, wasReached } from '../credentials/judge-credentials.ts';
import { ask } from '../decide/ask.ts';
import { type Draft, type HostSeen, releaseWork, type Step, telling, withStatus } from '../decide/seen.ts';
import { annotations, rebootNote } from '../resources.ts';
import { stateOf, withSuccess } from '../status/host-status.ts';
import { checkBmc } from './check-bmc.ts';

const noBmc = 'nothing is said about its BMC; set spec.bmc';

/** Looks at a host at rest whose power is nobody's to switch. */
export function leavePower(seen: HostSeen, before: Draft, now: Instant): Step {
  const looked = ask(seen, before, { question: { name: 'look' }, errorType: 'power management error' });
  if (looked.kind === 'not yet') return looked.step;
  const checked = checkBmc(seen, before, now);
  if (checked.kind === 'silent') return checked.step;
  const given = checked.draft;
  const { isPoweredOn = given.status.poweredOn } = looked.value;
  const fine = withSuccess(given.status, 'power management error');
  const errorCount = fine.errorType === undefined ? 0 : fine.errorCount;
  const noted = withStatus(given, { ...fine, errorCount, poweredOn: isPoweredOn });
  const isHeld = isRebootHeld(seen);
  const wasTold = seen.hostBefore.status?.conditions?.some(({ reason }) => reason === rebootIgnored) ?? false;
  const draft = isHeld && !wasTold ? telling(noted, 'Warning', rebootIgnored, heldMessage) : noted;
  const why = [{ code: 'AtRest', message: `its power is left as it is: ${noBmc}` }];
  return { kind: 'rest', draft, wake: { after: seen.settings.powerPollMs }, why, effects: [releaseWork] };
}

const rebootIgnored = 'RebootIgnored';
const heldMessage = `it is not held off by the annotation ${annotations.reboot}/...: ${noBmc}`;

function isRebootHeld({ host }: Pick<HostSeen, 'host'>): boolean {
  return rebootWishOf(host, { isForcedOnly: false }).isHeld;
}

/** Answers what somebody asks of a host once, and that cannot be done; undefined when nobody asks. */
export function refuseWishes({ host }: HostSeen, draft: Draft): Step | undefined {
  const isReboot = rebootWishOf(host, { isForcedOnly: false }).isOneShot;
  const isInspection = isInspectionAsked(host);
  if (!isReboot && !isInspection) return undefined;
  const rebooted = isReboot ? telling(draft, 'Warning', rebootIgnored, `it is not rebooted: ${noBmc}`) : draft;
  const told = isInspection
    ? telling(rebooted, 'Warning', 'InspectionIgnored', `it is not inspected anew: ${noBmc}`)
    : rebooted;
  const removeAnnotations = [
    ...(isReboot ? [annotations.reboot, rebootNote] : []),
    ...(isInspection ? [annotations.inspect] : []),
  ];
  return { kind: 'do', draft: told, effects: [{ kind: 'change-host', key: 'refuse', change: { removeAnnotations } }] };
}

/** Whether the power of a host that came by itself can be switched; undefined for all other hosts. */
export function powerCondition(seen: HostSeen, status: BareMetalHostStatus): ConditionDraft | undefined {
  const { host } = seen;
  const isTakenOver = status.provisioning.ID !== '' && !wasReached(status);
  if (notedIdOf(host) === undefined && !(isTakenOver && isWithoutBmc(host))) return undefined;
  if (isWithoutBmc(host)) return [powerManagement, 'False', ...withoutPower(seen, status)];
  if (isVersion(status.goodCredentials, seen)) return [powerManagement, 'True', 'BMCAccessValidated', ''];
  const message = status.errorType === 'registration error' ? status.errorMessage : 'its BMC was not reached yet';
  return [powerManagement, 'False', 'BMCNotReached', message];
}

function withoutPower({ host }: HostSeen, status: BareMetalHostStatus): [reason: string, message: string] {
  if (isRebootHeld({ host })) return [rebootIgnored, heldMessage];
  const isWantedOff = host.spec?.online !== true && status.poweredOn && stateOf(status) !== 'unmanaged';
  if (isWantedOff) return ['OnlineIgnored', `spec.online switches nothing: ${noBmc}`];
  return ['NoBMCDetails', `it is neither switched nor rebooted: ${noBmc}`];
}
