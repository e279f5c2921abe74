import type { ProviderSwitchStatus, SwitchError, SwitchStatus } from '../../api/index.ts';
import {
  type ConditionDraft,
  growingWaitMs,
  type Instant,
  momentOf,
  textOfMoment,
  writeConditions,
} from '../../kube/index.ts';
import { describeProviderLimits } from '../../switches/index.ts';
import type { NetworkErrorCode, NetworkFault } from '../errors.ts';
import { nameOf, namespaceOf, referenceKey } from '../fabric/references.ts';
import { currentVerification, providerFault } from './switch-facts.ts';
import type { SwitchSeen } from './switch-seen.ts';
import { owningSwitch } from './switch-seen.ts';
import type { SwitchPhase } from './switch-table.ts';

const switchConditions = ['Ready', 'Reachable', 'CredentialsValid', 'CanClean', 'FullControl'];

/** What is wrong with a switch. */
export function faultOfSwitchSeen(seen: SwitchSeen): NetworkFault | undefined {
  const verification = currentVerification(seen);
  if (verification?.result.kind === 'bad') return verification.result.fault;
  const [taken] = seen.strangers.filter((port) => owningSwitch(port) !== undefined);
  const missing = providerFault(seen);
  if (missing !== undefined || taken === undefined) return missing;
  const message = `the SwitchPort ${nameOf(taken)} belongs to the Switch ${owningSwitch(taken)}; give the port another name`;
  return { code: 'PortNameTaken', message };
}

/** What the status of a Switch should say. */
export function describeSwitchStatus(
  seen: SwitchSeen,
  { phase, now }: { readonly phase: SwitchPhase; readonly now: Instant },
): SwitchStatus {
  const { object, ports, provider } = seen;
  const fault = phase === 'Deleting' && ports.length === 0 ? undefined : faultOfSwitchSeen(seen);
  const context = { before: object.status?.conditions, generation: object.metadata.generation, now };
  const contact = contactTime(seen, object.status?.lastContactTime, now);
  const used = provider === undefined ? object.status?.provider : object.spec.provider;
  return {
    state: phase,
    ...(object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation }),
    ...(used === undefined ? {} : { provider: used }),
    ports: Object.fromEntries(
      ports.map((port) => [
        nameOf(port),
        { name: object.spec.ports?.[nameOf(port)]?.name ?? port.status?.physicalPortName ?? '' },
      ]),
    ),
    portCount: ports.length,
    ...(contact === undefined ? {} : { lastContactTime: contact }),
    ...(fault === undefined ? {} : { error: describeError(seen, fault, now) }),
    conditions: writeConditions(draftsOf(seen, fault, phase), context, switchConditions),
  };
}

/** When the switch last answered; written to a precision that does not make it change all the time. */
function contactTime(seen: SwitchSeen, before: string | undefined, now: Instant): string | undefined {
  const verification = currentVerification(seen);
  if (verification?.result.kind !== 'good') return before;
  const known = momentOf(before);
  return known !== undefined && now - known < seen.settings.stampMs ? before : textOfMoment(verification.at);
}

function describeError(seen: SwitchSeen, fault: NetworkFault, now: Instant): SwitchError {
  const before = seen.object.status?.error;
  const verification = currentVerification(seen);
  const { retryFromMs: fromMs, retryToMs: toMs } = seen.settings;
  return {
    reason: fault.code,
    message: fault.message,
    since: before?.reason === fault.code ? before.since : textOfMoment(now),
    ...(verification?.result.kind === 'bad'
      ? {
          attempts: verification.failures,
          nextAttempt: textOfMoment(verification.at + growingWaitMs(verification.failures, { fromMs, toMs })),
        }
      : {}),
  };
}

/** What a fault says about the way to the switch and about the credentials. */
const meaning: Partial<
  Record<NetworkErrorCode, readonly ['True' | 'False' | 'Unknown', 'True' | 'False' | 'Unknown']>
> = {
  SwitchUnreachable: ['False', 'Unknown'],
  Timeout: ['False', 'Unknown'],
  SwitchUntrusted: ['True', 'Unknown'],
  CredentialsRefused: ['True', 'False'],
  CredentialsNotFound: ['Unknown', 'False'],
};

function draftsOf(seen: SwitchSeen, fault: NetworkFault | undefined, phase: SwitchPhase): ConditionDraft[] {
  const isGood = currentVerification(seen)?.result.kind === 'good';
  const [reachable, valid] = isGood
    ? (['True', 'True'] as const)
    : (meaning[fault?.code ?? 'SwitchNotReady'] ?? ['Unknown', 'Unknown']);
  const reason = fault?.code ?? (isGood ? 'Answered' : 'NotAsked');
  const message = fault?.message ?? (isGood ? 'The switch answers.' : 'The switch was not asked yet.');
  const word = (status: string): string => (status === 'True' ? 'Answered' : reason);
  return [
    fault === undefined
      ? {
          type: 'Ready',
          status: phase === 'Running' ? 'True' : 'False',
          reason: phase === '' ? 'New' : phase,
          message:
            phase === 'Running'
              ? 'The switch answers and its ports exist.'
              : `The switch is in ${phase || 'no state yet'}.`,
        }
      : { type: 'Ready', status: 'False', reason: fault.code, message: fault.message },
    { type: 'Reachable', status: reachable, reason: word(reachable), message },
    { type: 'CredentialsValid', status: valid, reason: word(valid), message },
    ...limitDrafts(seen),
  ];
}

/** What will not be possible is said before a host depends on it; a switch without limits says nothing. */
function limitDrafts({ object, provider }: SwitchSeen): ConditionDraft[] {
  if (provider === undefined) return [];
  const { cleaning, control } = describeProviderLimits(provider, object.spec.parkingVLAN);
  return [
    ...(cleaning === undefined
      ? []
      : [{ type: 'CanClean', status: 'False', reason: 'ParkingVLANNeeded', message: cleaning } as const]),
    ...(control === undefined
      ? []
      : [{ type: 'FullControl', status: 'False', reason: 'ProviderLimited', message: control } as const]),
  ];
}

/** What the provider should say about itself. */
export function describeProviderStatus(seen: SwitchSeen, now: Instant): ProviderSwitchStatus | undefined {
  const { provider, object } = seen;
  const verification = currentVerification(seen);
  if (provider === undefined || verification === undefined) return undefined;
  const { result } = verification;
  const before = provider.status as ProviderSwitchStatus | undefined;
  const contact = contactTime(seen, before?.lastContactTime, now);
  const { generation } = provider.metadata;
  const draft: ConditionDraft =
    result.kind === 'good'
      ? {
          type: 'Ready',
          status: 'True',
          reason: 'Answered',
          message: `The switch takes the credentials; the Switch ${nameOf(object)} uses it.`,
        }
      : { type: 'Ready', status: 'False', reason: result.fault.code, message: result.fault.message };
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(contact === undefined ? {} : { lastContactTime: contact }),
    conditions: writeConditions([draft], { before: before?.conditions, generation, now }, ['Ready']),
  };
}

/** The provider as people know it: `OVSSwitch fleet/leaf1`. */
export function providerName({ object }: SwitchSeen): string {
  const { provider } = object.spec;
  return `${provider.kind} ${referenceKey(provider, namespaceOf(object))}`;
}
