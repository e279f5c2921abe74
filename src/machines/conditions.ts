import type { Condition } from '../api/index.ts';
import { type ConditionDraft, type Instant, isSameJson, textOfMoment } from '../kube/index.ts';

/** A condition in the shape of v1beta1. */
export interface LegacyCondition {
  type: string;
  status: string;
  severity?: string;
  lastTransitionTime: string;
  reason?: string;
  message?: string;
}

/** The same as v1beta1 has it: clients of that version, and providers of its contract, read these. */
export function legacyConditions(
  drafts: readonly ConditionDraft[],
  before: readonly LegacyCondition[] | undefined,
  now: Instant,
): LegacyCondition[] {
  return drafts.map(({ type, status, reason, message }) => {
    const present = before?.find((each) => each.type === type);
    const lastTransitionTime = present?.status === status ? present.lastTransitionTime : textOfMoment(now);
    if (status === 'True') return { type, status, lastTransitionTime };
    const text = message === '' ? {} : { message };
    return { type, status, severity: 'Info', lastTransitionTime, reason, ...text };
  });
}

/** The status with the moment of its last change; a status that says the same keeps its moment. */
export function stamped<S extends { lastUpdated?: string }>(status: S, before: S | undefined, now: Instant): S {
  const { lastUpdated, ...rest } = before ?? {};
  const isSame = lastUpdated !== undefined && isSameJson(rest, status);
  return { ...status, lastUpdated: isSame ? lastUpdated : textOfMoment(now) };
}

/** Whether conditions tell that something holds. */
export function holds(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}
