import type { FieldMove } from './field-moves.ts';

/** Fields that keep their name and change the object they are in. */
export function movedUnder(names: readonly string[], parents: { old: string; new: string }): FieldMove[] {
  return names.map((name) => ({ old: `${parents.old}.${name}`, new: `${parents.new}.${name}` }));
}

/** `failureReason` and `failureMessage`, which v1beta2 keeps under `deprecated`. */
export const legacyFailure: readonly FieldMove[] = movedUnder(['failureReason', 'failureMessage'], {
  old: 'status',
  new: 'status.deprecated.v1beta1',
});

/**
 * Each version's own conditions, kept where the other version has a place for them: they mean different things, so
 * neither is made from the other. These rows come last, as they drop what is left of the two places.
 */
export const legacyConditions: readonly FieldMove[] = [
  { old: 'status.conditions', new: 'status.deprecated.v1beta1.conditions' },
  { old: 'status.v1beta2.conditions', new: 'status.conditions' },
  { old: 'status.v1beta2', new: null },
  { old: null, new: 'status.deprecated' },
];
