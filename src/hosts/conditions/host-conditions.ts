import {
  type BareMetalHostStatus,
  type Condition,
  firmwareWork,
  ironcoreConditions,
  powerFailure,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { BmcProblem } from '../../provisioners/index.ts';
import { isServiceOpen, stateOf, textOfMoment } from '../status/host-status.ts';
import type { HostState } from '../table/host-table.ts';
import {
  isLossOver,
  isLost,
  judgeReachability,
  notAnswering,
  type Reachability,
  readLossFromFailure,
} from './reachability.ts';

/** What a host looked like from outside; undefined while nobody looked. */
export interface OutsideView {
  readonly bmcProblem?: BmcProblem | undefined;
  /** Why the machine is left to others; undefined while it is not. */
  readonly maintenance?: string | undefined;
  readonly health?: 'OK' | 'Warning' | 'Critical' | undefined;
}

/** What conditions are computed from besides the status. */
export interface ConditionContext {
  readonly outside: OutsideView | undefined;
  /** Why it does not go on though nothing failed: its provisioner cannot be asked, or it is in quarantine. */
  readonly waitsFor?: string | undefined;
  /** Why its provisioner cannot be asked, so that nothing is known of the host. */
  readonly unasked?: string | undefined;
  /** True while its power is left alone, since its BMC is at an update of firmware. */
  readonly isUpdating?: boolean | undefined;
  readonly generation: number | undefined;
  readonly now: Instant;
  /** The condition about live updates; undefined where there is none, `kept` where nothing new is known. */
  readonly more?: ConditionDraft | 'kept' | undefined;
  /** The condition about the power of a host that came by itself; undefined for all others. */
  readonly power?: ConditionDraft | undefined;
  /** The condition of a host whose machine another one has; undefined for all others. */
  readonly duplicate?: ConditionDraft | undefined;
}

/** What a condition should say; since when is worked out. */
export type ConditionDraft = readonly [
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
];
type Draft = ConditionDraft;

const busy: Readonly<Partial<Record<HostState, string>>> = {
  importing: 'Importing',
  registering: 'Registering',
  inspecting: 'Inspecting',
  preparing: 'Preparing',
  provisioning: 'Provisioning',
  deprovisioning: 'Deprovisioning',
  'powering off before delete': 'PoweringOffBeforeDelete',
  deleting: 'Deleting',
};

/** The type of the condition about live updates. */
export const liveUpdates = 'LiveUpdates';
/** Why a host that is being serviced is progressing, once nothing of that is wanted any more. */
export const givingUp = 'GivingUpService';

/** The type of the condition about power. */
export const powerManagement = 'PowerManagement';

const owned = [
  powerManagement,
  ironcoreConditions.duplicateMachine,
  'Manageable',
  'AvailableForProvisioning',
  'Provisioned',
  'Ready',
  'Progressing',
  'Healthy',
];

/** The status with the conditions that follow from it; those of other types are somebody else's and stay. */
export function withConditions(status: BareMetalHostStatus, context: ConditionContext): BareMetalHostStatus {
  const before = status.conditions ?? [];
  const more = context.more === undefined || context.more === 'kept' ? [] : [context.more];
  const power = context.power === undefined ? [] : [context.power];
  const duplicate = context.duplicate === undefined ? [] : [context.duplicate];
  const drafts = [...draftsOf(status, context, before), ...power, ...duplicate, ...more];
  const conditions = [
    ...drafts.map((draft) => conditionFrom(draft, before, context)),
    ...before.filter(({ type }) => !owned.includes(type) && (type !== liveUpdates || context.more === 'kept')),
  ];
  const isSame = conditions.length === before.length && conditions.every((each, index) => each === before[index]);
  return isSame ? status : { ...status, conditions };
}

function draftsOf(
  status: BareMetalHostStatus,
  { outside, waitsFor = '', unasked, isUpdating = false, now }: ConditionContext,
  before: readonly Condition[],
): Draft[] {
  const state = stateOf(status);
  const inUse = state === 'provisioned' || state === 'externally provisioned';
  const reached = outside === undefined ? undefined : judgeReachability(outside.bmcProblem, { status, now });
  const management = manageable(status, state, { reached, waitsFor, unasked, before });
  const isAvailable = state === 'available' && management[2] !== powerFailure;
  return [
    management,
    ['AvailableForProvisioning', isAvailable ? 'True' : 'False', isAvailable ? 'Available' : 'NotAvailable', ''],
    ['Provisioned', inUse ? 'True' : 'False', inUse ? 'Provisioned' : 'NotProvisioned', ''],
    ready(status, { inUse }),
    progressing(status, state, { before, isUpdating, outside }),
    healthy(outside, before),
  ];
}

function manageable(
  status: BareMetalHostStatus,
  state: HostState,
  context: Required<Pick<ConditionContext, 'waitsFor' | 'unasked'>> & {
    readonly reached: Reachability | undefined;
    readonly before: readonly Condition[];
  },
): Draft {
  const { reached, waitsFor = '', unasked, before } = context;
  if (state === 'none' || state === 'unmanaged') return ['Manageable', 'False', 'NotManaged', ''];
  if (state === 'registering' || state === 'importing') {
    const hasFailed = status.operationalStatus === 'error';
    const message = hasFailed ? status.errorMessage : waitsFor;
    const reasons = state === 'importing' ? ['ImportFailed', 'Importing'] : ['RegistrationFailed', 'Registering'];
    return ['Manageable', 'False', reasons[hasFailed ? 0 : 1] ?? '', message];
  }
  const isKept = state === 'deleting' || status.operationalStatus === 'detached';
  if (isKept || reached?.kind === 'answers') return managed;
  if (reached?.kind === 'lost') return ['Manageable', 'False', 'PowerFailure', reached.message];
  if (reached?.kind === 'doubtful') return ['Manageable', 'Unknown', notAnswering, reached.message];
  const loss = readLossFromFailure(status);
  if (loss !== undefined) return ['Manageable', 'False', 'PowerFailure', loss];
  const last = before.find(({ type }) => type === 'Manageable');
  const isFailing = last !== undefined && isLost(status) && !isLossOver(status);
  if (unasked !== undefined && !isFailing) return ['Manageable', 'Unknown', 'ProvisionerNotReady', unasked];
  const isOpen = isFailing || (last?.status === 'Unknown' && last.reason === notAnswering);
  return isOpen ? ['Manageable', last.status, last.reason, last.message] : managed;
}

const managed: Draft = ['Manageable', 'True', 'Manageable', ''];

function ready(status: BareMetalHostStatus, { inUse }: { readonly inUse: boolean }): Draft {
  switch (status.operationalStatus) {
    case 'error':
      return ['Ready', 'False', 'Error', status.errorMessage];
    case 'servicing':
      return ['Ready', 'False', 'Servicing', ''];
    case 'detached':
      return ['Ready', 'False', 'Detached', ''];
    default:
      return ['Ready', inUse ? 'True' : 'False', inUse ? 'Provisioned' : 'NotProvisioned', ''];
  }
}

// Without how far it is: that would be another status at every look.
const updating = 'its BMC is at an update of firmware, and its power is left alone until that has ended';

function progressing(
  status: BareMetalHostStatus,
  state: HostState,
  context: Pick<ConditionContext, 'outside'> & {
    readonly before: readonly Condition[];
    readonly isUpdating: boolean;
  },
): Draft {
  const { before, isUpdating, outside } = context;
  if (status.operationalStatus === 'detached') return ['Progressing', 'False', 'Detached', ''];
  if (isServiceOpen(status)) {
    const isGivenUp = before.some(({ type, reason }) => type === 'Progressing' && reason === givingUp);
    if (isGivenUp) return ['Progressing', 'True', givingUp, 'nothing of the live update is wanted any more'];
    if (status.operationalStatus === 'servicing') return ['Progressing', 'True', 'Servicing', ''];
  }
  const work = busy[state];
  const message = isUpdating ? updating : '';
  const others = work === undefined ? othersWork(outside, before) : undefined;
  if (others !== undefined) return others;
  return work === undefined
    ? ['Progressing', 'False', 'NotProgressing', message]
    : ['Progressing', 'True', work, message];
}

/** Others have the machine: it is theirs until a look says that it is not. */
function othersWork(outside: OutsideView | undefined, before: readonly Condition[]): Draft | undefined {
  if (outside?.maintenance !== undefined) return ['Progressing', 'True', 'FirmwareWork', outside.maintenance];
  const last = before.find(({ type, reason }) => type === 'Progressing' && reason === firmwareWork);
  return outside === undefined && last !== undefined ? ['Progressing', 'True', firmwareWork, last.message] : undefined;
}

function healthy(outside: OutsideView | undefined, before: readonly Condition[]): Draft {
  if (outside === undefined) {
    const last = before.find(({ type }) => type === 'Healthy');
    if (last !== undefined) return ['Healthy', last.status, last.reason, last.message];
  }
  switch (outside?.health) {
    case 'OK':
      return ['Healthy', 'True', 'Healthy', ''];
    case 'Warning':
      return ['Healthy', 'False', 'Warning', ''];
    case 'Critical':
      return ['Healthy', 'False', 'CriticalError', ''];
    default:
      return ['Healthy', 'Unknown', 'Unknown', ''];
  }
}

function conditionFrom(draft: Draft, before: readonly Condition[], context: ConditionContext): Condition {
  const [type, status, reason, message] = draft;
  const present = before.find((each) => each.type === type);
  const isSame = present?.status === status && present.reason === reason && present.message === message;
  // Most moments of a round change none of them.
  if (isSame && present.observedGeneration === context.generation) return present;
  const since = present?.status === status ? present.lastTransitionTime : textOfMoment(context.now);
  return {
    type,
    status,
    reason,
    message: message.slice(0, 4000),
    lastTransitionTime: since,
    ...(context.generation === undefined ? {} : { observedGeneration: context.generation }),
  };
}
