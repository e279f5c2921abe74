import { textOfMoment } from '../times.ts';
import type { Instant } from './decision.ts';

/** A condition of an object, as every kind has them. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** What a condition should say; since when is worked out. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type, if the list has it. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((each) => each.type === type);
}

/** True when the condition is there and holds. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

/** What conditions are computed from. */
export interface ConditionContext {
  readonly before: readonly Condition[] | undefined;
  readonly generation: number | undefined;
  readonly now: Instant;
}

const longestMessage = 4000;

/**
 * The conditions as drafted; a condition whose status stays keeps its time. Conditions of types that `owned` names and no
 * draft mentions go, those of other types are somebody else's and stay. What is there keeps its place, since two writers
 * that each put their own first would write without end; what is new comes first, as it is drafted.
 */
export function writeConditions(
  drafts: readonly ConditionDraft[],
  context: ConditionContext,
  owned: readonly string[],
): Condition[] {
  const before = context.before ?? [];
  const written = drafts.map((draft) => toCondition(draft, context));
  const fresh = written.filter(({ type }) => conditionOf(before, type) === undefined);
  const kept = before.flatMap((each) => {
    const drafted = conditionOf(written, each.type);
    return drafted ?? (owned.includes(each.type) ? [] : each);
  });
  return [...fresh, ...kept];
}

function toCondition(draft: ConditionDraft, { before, generation, now }: ConditionContext): Condition {
  const present = conditionOf(before, draft.type);
  const since = present?.status === draft.status ? present.lastTransitionTime : textOfMoment(now);
  return {
    ...draft,
    message: draft.message.slice(0, longestMessage),
    lastTransitionTime: since,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** A list of names for people: the first few, and how many more. */
export function namesForPeople(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
