export {
  type ConditionContext,
  type ConditionDraft,
  conditionOf,
  isTrue,
  namesForPeople,
  writeConditions,
} from '../kube/index.ts';
