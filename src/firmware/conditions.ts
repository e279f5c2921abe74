export {
  type ConditionContext,
  type ConditionDraft,
  conditionOf,
  isTrue,
  namesForPeople,
  writeConditions,
} from '../kube/index.ts';

/** What somebody said, with an end: something else follows it. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
