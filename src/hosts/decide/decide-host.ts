import { hasFinalizer, type Instant, isBeingDeleted } from '../../kube/index.ts';
import { isInspectionDisabled } from '../annotations/read-annotations.ts';
import { withConditions } from '../conditions/host-conditions.ts';
import { findAccess } from '../credentials/judge-credentials.ts';
import { followPorts } from '../network/await-ports.ts';
import { powerCondition, refuseWishes } from '../power/without-power.ts';
import { finalizers } from '../resources.ts';
import { liveUpdatesCondition } from '../servicing/live-updates-condition.ts';
import { stateOf } from '../status/host-status.ts';
import type { HostState } from '../table/host-table.ts';
import { updateRunning } from './ask.ts';
import { detachStep, leavingOf } from './detaching.ts';
import { duplicateCondition, leaveToOther, leavingAsDuplicate } from './duplicate.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import { beImported, beUnmanaged, bmcFactOf, importHost, isKnownByDiscovery, withoutFirmware } from './importing.ts';
import { inspect } from './inspecting.ts';
import { deprovision, powerOffBeforeDelete, remove } from './leaving.ts';
import { preStep } from './pre-steps.ts';
import { prepare } from './preparing.ts';
import { provision } from './provisioning.ts';
import { holdInQuarantine, quarantined } from './quarantine.ts';
import { registerHost } from './register.ts';
import { type Draft, type HostDecision, type HostSeen, type Step, telling } from './seen.ts';
import { beAvailable, beExternallyProvisioned, beProvisioned } from './steady.ts';
import { takeRow } from './take-row.ts';

/**
 * What is wanted for a host at one moment. A round is a row of such moments: what each asks for is done, and what came of
 * it is seen by the next, until there is nothing more to do for now. Pure.
 */
export function decideHost(seen: HostSeen, now: Instant): HostDecision {
  const step = stepOf(seen, { status: seen.status, events: [], counts: [] }, now);
  const { draft } = step;
  const outside = seen.answers.look?.kind === 'done' ? seen.answers.look.value : undefined;
  const { generation } = seen.host.metadata;
  const isLeftAlone = step.kind === 'rest' && step.isLeftAlone === true;
  const isUpdating = step.kind === 'rest' && step.why.some(({ code }) => code === updateRunning);
  const waitsFor =
    step.kind === 'rest'
      ? step.why.find(({ code }) => ['ProvisionerNotReady', quarantined].includes(code))?.message
      : undefined;
  const unasked =
    step.kind === 'rest' ? step.why.find(({ code }) => code === 'ProvisionerNotReady')?.message : undefined;
  return {
    effects: step.kind === 'again' ? [] : (step.effects ?? []),
    status: isLeftAlone
      ? draft.status
      : withConditions(draft.status, {
          ...{ outside, waitsFor, unasked, isUpdating, generation, now },
          more: liveUpdatesCondition(seen, draft.status),
          power: powerCondition(seen, draft.status),
          duplicate: duplicateCondition(seen),
        }),
    events: draft.events,
    counts: draft.counts,
    wake: step.kind === 'rest' ? step.wake : { after: 0 },
    why: step.kind === 'rest' ? step.why : [],
    isRoundOver: step.kind === 'rest',
    state: stateOf(draft.status),
  };
}

function stepOf(given: HostSeen, draft: Draft, now: Instant): Step {
  const { host } = given;
  const state = stateOf(draft.status);
  const isLeaving = isBeingDeleted(host);
  if (isLeaving && !hasFinalizer(host, finalizers.host)) return leftAlone(draft, 'Gone', 'it is let go');
  const first = preStep(given, draft, now) ?? (isLeaving ? undefined : leaveToOther(given, draft));
  if (first !== undefined) return first;
  const bmc = bmcFactOf(host, draft.status);
  const seen = bmc === 'discovered' ? withoutFirmware(given) : given;
  const leaving = leavingAsDuplicate(leavingOf(host, draft.status, given.settings), seen);
  const early = takeRow(seen, draft, { leaving, bmc, work: 'going', wish: 'stay' }, now);
  if (early !== undefined) return early;
  if (state === 'none' || state === 'unmanaged') return beUnmanaged(seen, draft);
  const isImported = bmc === 'discovered' && !isLeaving;
  const refused = isImported ? refuseWishes(seen, draft) : undefined;
  if (refused !== undefined) return refused;
  const access = isImported ? ({ kind: 'usable' } as const) : findAccess(seen, draft);
  if (access.kind === 'not yet') return access.step;
  const detached = detachStep(seen, draft, now);
  if (detached !== undefined) return detached;
  const registered =
    access.kind === 'usable' && state !== 'deleting'
      ? (isImported ? importHost : registerHost)(seen, draft, now)
      : { kind: 'registered' as const, draft };
  if (registered.kind === 'not yet') return registered.step;
  const found = workOf(state, { seen, draft: registered.draft, isLeaving, access: access.kind, now });
  // One that goes while it is detached runs on, with its ports as they are.
  const follow = (step: Step): Step =>
    leaving === 'detached' ? step : followPorts(seen, registered.draft, { step, now });
  if (found.kind === 'step') return follow(found.step);
  const moved = takeRow(seen, found.draft, { leaving, bmc, work: found.work, wish: found.wish }, now);
  return moved ?? follow({ kind: 'rest', draft: found.draft, wake: found.wake, why: found.why });
}

/** Nothing of it is written, not even conditions. */
function leftAlone(draft: Draft, code: string, message: string): Step {
  return { kind: 'rest', draft, wake: { on: 'change' }, why: [{ code, message }], isLeftAlone: true };
}

function workOf(state: HostState, work: Work): Found {
  switch (state) {
    case 'importing':
      return beImported(work);
    case 'registering':
      return beRegistered(work);
    case 'inspecting':
      return inspect(work);
    case 'preparing':
      return prepare(work);
    case 'available':
      return beAvailable(work);
    case 'provisioning':
      return provision(work);
    case 'provisioned':
      return beProvisioned(work);
    case 'externally provisioned':
      return beExternallyProvisioned(work);
    case 'deprovisioning':
      return deprovision(work);
    case 'powering off before delete':
      return powerOffBeforeDelete(work);
    case 'deleting':
      return remove(work);
    default:
      return facts(work.draft, {});
  }
}

/** Registering itself was seen to already: only where to go from there is left. */
function beRegistered({ seen, draft }: Work): Found {
  const held = holdInQuarantine(seen.host, draft);
  if (held !== undefined) return stepFirst(held);
  if (seen.host.spec?.externallyProvisioned === true) return facts(draft, { work: 'done', wish: 'leave alone' });
  if (isKnownByDiscovery(seen, draft)) {
    const told = telling(draft, 'Normal', 'InspectionSkipped', 'The hardware is known from discovery');
    return facts(told, { work: 'done', wish: 'prepare' });
  }
  if (!isInspectionDisabled(seen.host)) return facts(draft, { work: 'done', wish: 'inspect' });
  const told = telling(draft, 'Normal', 'InspectionSkipped', 'Inspection of the hardware is disabled');
  return facts(told, { work: 'done', wish: 'prepare' });
}
