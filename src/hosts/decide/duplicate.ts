import { ironcoreConditions } from '../../api/index.ts';
import type { ConditionDraft } from '../conditions/host-conditions.ts';
import type { Leaving } from './detaching.ts';
import { type Draft, type HostSeen, releaseWork, type Step, telling } from './seen.ts';

const { duplicateMachine } = ironcoreConditions;

/** Leaves a host alone whose machine another one has: whatever it did would be done to that one. Undefined for all others. */
export function leaveToOther(seen: HostSeen, draft: Draft): Step | undefined {
  const message = messageOf(seen);
  if (message === undefined) return undefined;
  // Earlier steps of the round have written the condition already.
  const isNew = seen.hostBefore.status?.conditions?.some(({ type }) => type === duplicateMachine) !== true;
  const told = isNew ? telling(draft, 'Warning', duplicateMachine, message) : draft;
  const wake = { after: seen.settings.unmanagedPollMs };
  return { kind: 'rest', draft: told, wake, why: [{ code: duplicateMachine, message }], effects: [releaseWork] };
}

/** A host that goes is only forgotten then: the machine goes on as the other one has it. */
export function leavingAsDuplicate(leaving: Leaving, { duplicate }: Pick<HostSeen, 'duplicate'>): Leaving {
  return duplicate === undefined || leaving === 'no' ? leaving : 'detached';
}

/** The condition of such a host; undefined for all others. */
export function duplicateCondition(seen: Pick<HostSeen, 'duplicate'>): ConditionDraft | undefined {
  const message = messageOf(seen);
  return message === undefined ? undefined : [duplicateMachine, 'True', duplicateMachine, message];
}

function messageOf({ duplicate }: Pick<HostSeen, 'duplicate'>): string | undefined {
  if (duplicate === undefined) return undefined;
  return `the BareMetalHost ${duplicate.host} is the same machine, by ${duplicate.by}; nothing is done here; delete one of the two`;
}
