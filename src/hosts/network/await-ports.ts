import type { BareMetalHostStatus } from '../../api/index.ts';
import { conditionOf, type Instant, writeConditions } from '../../kube/index.ts';
import { type HostNetworkPhase, type HostNetworkPlan, networkPhaseOf, planHostNetwork } from '../../network/index.ts';
import {
  counting,
  type Draft,
  type HostEffect,
  type HostSeen,
  rest,
  type Step,
  telling,
  withStatus,
} from '../decide/seen.ts';
import { withoutError } from '../status/host-status.ts';
import type { HostState } from '../table/host-table.ts';

/** Ports that are as the host needs them, or what to do until they are. */
export type Awaited =
  | { readonly kind: 'ready'; readonly draft: Draft }
  | { readonly kind: 'not yet'; readonly step: Step };

/** What ports are waited for. */
export interface Awaiting {
  readonly phase: HostNetworkPhase;
  /** A host that is let go is not held by a port that is in error or that nobody has. */
  readonly isLeaving: boolean;
  /** A host that is to go is not held by a port that nobody has, either. */
  readonly isGoing?: boolean | undefined;
  readonly now: Instant;
}

/** Before a host gets there its ports have to be so; elsewhere they follow it. */
const gates: Readonly<Partial<Record<HostState, HostNetworkPhase>>> = {
  inspecting: 'provisioning',
  preparing: 'provisioning',
  provisioning: 'provisioning',
  deprovisioning: 'provisioning',
  gone: 'released',
};

const owned = ['NetworkConfigured', 'NetworkCabling'];
/** Only while a process starts: caches that are full tell of everything. */
const lookAgainMs = 1000;

/** What the ports of a host are waited for before it gets into a state; undefined when it can go there at once. */
export function gateTo(state: HostState): HostNetworkPhase | undefined {
  return gates[state];
}

/** Gets the ports of a host to where they should be, and says whether they are. */
export function awaitPorts(seen: HostSeen, draft: Draft, awaiting: Awaiting): Awaited {
  const { phase, now } = awaiting;
  if (seen.network === undefined) return { kind: 'ready', draft: withoutPorts(draft) };
  if (seen.network === 'unknown') {
    const step = rest(draft, { after: lookAgainMs }, 'PortsUnknown', 'its switch ports are being looked up');
    return { kind: 'not yet', step };
  }
  const plan = planFor(seen, draft, { phase, tables: seen.network.tables });
  const effects = portEffects(plan);
  if (effects.length > 0) return { kind: 'not yet', step: { kind: 'do', draft, effects } };
  const noted = notePorts(seen, draft, { plan, now });
  if (!isHeld(plan, awaiting)) return { kind: 'ready', draft: noted };
  return { kind: 'not yet', step: rest(noted, { on: 'change' }, plan.hinge?.code ?? 'PortsReady', plan.message) };
}

function isHeld({ ports }: HostNetworkPlan, { isLeaving, isGoing = isLeaving }: Awaiting): boolean {
  return ports.some(({ state, code }) => {
    if (code === 'PortNotFound') return !isGoing;
    return isLeaving ? state === 'waiting' : state !== 'ready';
  });
}

/** Lets the ports follow a host that stays where it is. Only a service waits for them: it cannot do without. */
export function followPorts(
  seen: HostSeen,
  before: Draft,
  { step, now }: { readonly step: Step; readonly now: Instant },
): Step {
  if (seen.network === 'unknown') return step;
  const { status } = step.draft;
  const isAsked = isServiceAsked(step);
  const isServicing = isAsked || status.operationalStatus === 'servicing';
  const phase = networkPhaseOf(status.provisioning.state, { isServicing });
  if (
    phase === undefined ||
    (seen.network === undefined && conditionOf(status.conditions, 'NetworkConfigured') === undefined)
  )
    return step;
  if (isAsked) {
    const awaited = awaitPorts(seen, before, { phase, isLeaving: false, now });
    return awaited.kind === 'ready' ? step : awaited.step;
  }
  if (seen.network === undefined) return { ...step, draft: withoutPorts(step.draft) };
  const plan = planFor(seen, step.draft, { phase, tables: seen.network.tables });
  const effects = portEffects(plan);
  if (effects.length > 0) return { kind: 'do', draft: before, effects };
  return step.kind === 'rest' ? { ...step, draft: notePorts(seen, step.draft, { plan, now }) } : step;
}

/** What is done about ports; what users linked to them becomes the host's own first. */
function portEffects({ adopted, effects }: HostNetworkPlan): readonly HostEffect[] {
  if (adopted === undefined) return effects;
  return [{ kind: 'change-host', key: 'adopt-links', change: { ports: adopted } }];
}

function isServiceAsked(step: Step): boolean {
  if (step.kind !== 'do') return false;
  return step.effects.some((effect) => effect.kind === 'ask' && effect.question.name === 'service');
}

function planFor(
  { host }: HostSeen,
  { status }: Draft,
  { phase, tables }: Pick<Parameters<typeof planHostNetwork>[0], 'phase' | 'tables'>,
): HostNetworkPlan {
  return planHostNetwork({ host, phase, tables, nics: status.hardware?.nics });
}

/** What is to be seen of the ports in the status, and what is told when that is news. */
function notePorts(
  { host }: HostSeen,
  draft: Draft,
  { plan, now }: { readonly plan: HostNetworkPlan; readonly now: Instant },
): Draft {
  const before = draft.status.conditions;
  const context = { before, generation: host.metadata.generation, now };
  const conditions = writeConditions(plan.conditions, context, owned);
  const noted = withStatus(draft, withTrouble({ ...draft.status, conditions }, plan));
  const last = conditionOf(before, 'NetworkConfigured');
  if (plan.verdict === 'ready') {
    return last?.status === 'False' ? telling(noted, 'Normal', 'NetworkConfigured', plan.message) : noted;
  }
  if (last?.status === 'False' && last.message === plan.message) return noted;
  if (plan.verdict === 'waiting') return telling(noted, 'Normal', 'WaitingForSwitchPort', plan.message);
  const told = telling(noted, 'Warning', 'NetworkError', plan.message);
  return counting(told, 'hostError', { labels: { error_type: 'network error' } });
}

/**
 * A port in error is an error of the host, unless that has another already. It is not counted: the switch is tried again by
 * others, and what is done to the machine must not get rougher for it. A service that runs goes on.
 */
function withTrouble(
  status: BareMetalHostStatus,
  { verdict, message }: Pick<HostNetworkPlan, 'verdict' | 'message'>,
): BareMetalHostStatus {
  if (verdict !== 'error') return status.errorType === 'network error' ? withoutError(status, 'network error') : status;
  const isTaken = status.errorType !== undefined && status.errorType !== 'network error';
  if (isTaken || status.operationalStatus === 'servicing') return status;
  return { ...status, operationalStatus: 'error', errorType: 'network error', errorMessage: message };
}

/** A host that has no ports any more says nothing about them. */
function withoutPorts(draft: Draft): Draft {
  const { conditions = [] } = draft.status;
  const kept = conditions.filter(({ type }) => !owned.includes(type));
  if (kept.length === conditions.length) return draft;
  return withStatus(draft, withTrouble({ ...draft.status, conditions: kept }, { verdict: 'ready', message: '' }));
}
