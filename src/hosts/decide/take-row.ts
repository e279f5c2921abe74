import type { BareMetalHostStatus } from '../../api/index.ts';
import { type Facts, type Instant, takeStep } from '../../kube/index.ts';
import { isWithoutBmc } from '../credentials/judge-credentials.ts';
import { awaitPorts, gateTo } from '../network/await-ports.ts';
import { abandonService } from '../servicing/service-record.ts';
import {
  blankStatus,
  inState,
  operationOfState,
  retryDelayMs,
  stateOf,
  textOfMoment,
  withBegin,
  withDelay,
  withEnd,
  withoutError,
} from '../status/host-status.ts';
import { type HostAction, type HostState, hostTable, inUseStates, limitedWork } from '../table/host-table.ts';
import { ask } from './ask.ts';
import { withAttempt, withDeployment, withSettings } from './deployment.ts';
import { letGo } from './leaving.ts';
import { counting, type Draft, type HostSeen, rest, type Step, telling, withStatus } from './seen.ts';

/** Takes the row of the table that the facts are for; undefined when there is none. */
export function takeRow(
  seen: HostSeen,
  draft: Draft,
  facts: Facts<(typeof hostTable)['facts']>,
  now: Instant,
): Step | undefined {
  const from = stateOf(draft.status);
  const { position, actions } = takeStep(hostTable, { state: from, since: now }, facts, now);
  if (position.state === from) return undefined;
  if (isUnwritten(seen, from)) {
    return {
      kind: 'do',
      draft: { status: seen.status, events: [], counts: [] },
      effects: [{ kind: 'store-status', key: 'status' }],
    };
  }
  // Ports move last: a host that waits for others goes on running where it is.
  const room = findRoom(seen, draft, position.state);
  if (room !== undefined) return room;
  const ports = findPorts(seen, draft, { to: position.state, leaving: facts.leaving, now });
  if (ports.kind === 'not yet') return ports.step;
  if (position.state === 'gone') return letGo(seen, ports.draft);
  const moved = move(ports.draft, { from, to: position.state, now });
  return { kind: 'again', draft: actions.reduce((each, action) => act(seen, each, action), moved) };
}

/** Clients wait for states by name: one is written before it is left, also where its work took no time. */
function isUnwritten({ host }: HostSeen, state: HostState): boolean {
  return state !== 'none' && stateOf({ ...blankStatus, ...host.status }) !== state;
}

/** A host waits for its switch ports; one that goes while it is detached leaves them as they are, for it runs on. */
function findPorts(
  seen: HostSeen,
  draft: Draft,
  { to, leaving, now }: { readonly to: HostState; readonly leaving: string; readonly now: Instant },
): ReturnType<typeof awaitPorts> {
  const phase = gateTo(to);
  if (phase === undefined || leaving === 'detached') return { kind: 'ready', draft };
  // Nothing is written to disks or booted for a host that goes on a network that is another's.
  return awaitPorts(seen, draft, { phase, isLeaving: to === 'gone', isGoing: leaving !== 'no', now });
}

/** Only so many hosts may be worked on at once; those that wait say so. */
function findRoom(seen: HostSeen, draft: Draft, to: HostState): Step | undefined {
  const what = limitedWork[to];
  if (what === undefined) return undefined;
  const asked = ask(seen, draft, { question: { name: 'capacity', what }, errorType: 'registration error' });
  if (asked.kind === 'not yet') return asked.step;
  if (asked.value) return undefined;
  const delayed = withStatus(draft, withDelay(draft.status, { isDelayed: true }));
  const counted =
    to === 'inspecting'
      ? delayed
      : counting(delayed, to === 'provisioning' ? 'delayedProvisioning' : 'delayedDeprovisioning');
  return rest(counted, { after: retryDelayMs(1, seen.share) }, 'NoCapacity', `as many hosts as may be are ${to}`);
}

function move(
  given: Draft,
  { from, to, now }: { readonly from: HostState; readonly to: HostState; readonly now: Instant },
): Draft {
  const [ended, begun] = [operationOfState[from], operationOfState[to]];
  const draft = inUseStates.includes(to) ? given : abandonService(given, now);
  // What did not get there is not there.
  const before = from === 'provisioning' && to !== 'provisioned' ? withDeployment(draft.status) : draft.status;
  const left = ended === undefined ? before : withEnd(before, ended, now);
  const entered = begun === undefined ? left : withBegin(left, begun, now);
  const status = withDelay(inState(withFreshCount(entered, to), to), { isDelayed: false });
  const counted = counting(
    withStatus(draft, isNewlyManaged(from, status) ? { ...status, operationalStatus: 'OK' } : status),
    'stateChange',
    {
      labels: { prev_state: from === 'none' ? '' : from, new_state: to },
    },
  );
  const times = ended === undefined ? undefined : left.operationHistory?.[ended];
  if (ended === undefined || times?.end !== textOfMoment(now)) return counted;
  const seconds = (Date.parse(times.end ?? '') - Date.parse(times.start ?? '')) / 1000;
  return Number.isNaN(seconds) ? counted : counting(counted, `${ended}Duration`, { seconds });
}

/**
 * What failed before says nothing about taking leave, which is given up after some failures; but that a BMC cannot be
 * reached does.
 */
function withFreshCount(status: BareMetalHostStatus, to: HostState): BareMetalHostStatus {
  const isLeave = to === 'deprovisioning' || to === 'powering off before delete';
  return isLeave && status.errorType !== 'registration error' ? { ...status, errorCount: 0 } : status;
}

function isNewlyManaged(from: HostState, { errorType }: BareMetalHostStatus): boolean {
  return (from === 'none' || from === 'unmanaged') && errorType === undefined;
}

/** What rows ask for. */
function act(seen: HostSeen, draft: Draft, action: HostAction): Draft {
  const { status } = draft;
  switch (action) {
    case 'tell-discovered': {
      const told = telling(draft, 'Normal', 'Discovered', 'Discovered host with no BMC details');
      return counting(withStatus(told, { ...status, operationalStatus: 'discovered' }), 'hostUnmanaged');
    }
    case 'forget-failures':
      return withStatus(draft, { ...withoutError(status), errorCount: 0 });
    case 'forget-settings':
      return withStatus(draft, withSettings(status));
    case 'remember-attempt':
      return withStatus(draft, withAttempt(status, seen.host));
    case 'count-attempt':
      return withStatus(draft, { ...status, provisioningFailCount: status.provisioningFailCount + 1 });
    case 'forget-attempts':
      return withStatus(draft, { ...status, provisioningFailCount: 0 });
    case 'take-over-deployment':
      return withStatus(draft, withDeployment(status, seen.host.spec));
    case 'tell-powered-off':
      if (isWithoutBmc(seen.host)) return draft;
      return withStatus(draft, { ...status, poweredOn: false });
    case 'count-without-deprovisioning':
      return counting(draft, 'deleteWithoutDeprovisioning');
    case 'count-without-powering-off':
      return counting(withStatus(draft, { ...status, poweredOn: false }), 'deleteWithoutPoweringOff');
  }
}
