import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { compileSelector, type Overlap, overlapOf, type Selector } from './selector.ts';

const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', 'z'), { maxKeys: 3 });
const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
  }),
);
const selector: fc.Arbitrary<Selector> = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(requirement, { maxLength: 3 }),
});

/** Every set of labels there is, with one value that no selector names. */
const everySet = ['x', 'y', 'z', 'other', undefined].flatMap((a) =>
  ['x', 'y', 'z', 'other', undefined].flatMap((b) =>
    ['x', 'y', 'z', 'other', undefined].map(
      (c) =>
        Object.fromEntries(Object.entries({ a, b, c }).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >,
    ),
  ),
);

/** As the documentation of Kubernetes says it, requirement by requirement. */
function matchesPlainly({ matchLabels = {}, matchExpressions = [] }: Selector, set: Record<string, string>): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => set[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = set[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isIn = value !== undefined && values.includes(value);
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

test('a selector that is read selects what its requirements select one by one', () => {
  fc.assert(
    fc.property(selector, (each) => {
      const compiled = compileSelector(each);
      for (const set of everySet) assert.equal(compiled.matches(set), matchesPlainly(each, set), JSON.stringify(set));
    }),
  );
});

test('an object that is selected has one of the pairs that the selector is found by', () => {
  fc.assert(
    fc.property(selector, (each) => {
      const { pairs, matches } = compileSelector(each);
      if (pairs === undefined) return;
      for (const set of everySet.filter(matches)) {
        assert.ok(Object.entries(set).some(([key, value]) => pairs.includes(`${key}=${value}`)));
      }
    }),
  );
});

test('two selectors never overlap exactly when no set of labels is selected by both', () => {
  fc.assert(
    fc.property(selector, selector, (one, other) => {
      const [a, b] = [compileSelector(one), compileSelector(other)];
      const isShared = everySet.some((set) => a.matches(set) && b.matches(set));
      assert.equal(overlapOf(a, b) !== 'never', isShared);
      assert.equal(overlapOf(a, b), overlapOf(b, a));
    }),
  );
});

const notLab = { key: 'env', operator: 'NotIn' as const, values: ['lab'] };
const cases: [Selector, Selector, Overlap][] = [
  [{ matchLabels: { env: 'prod' } }, { matchLabels: { env: 'prod' } }, 'certain'],
  [{ matchLabels: { env: 'prod' } }, { matchLabels: { env: 'stage' } }, 'never'],
  [{ matchLabels: { env: 'prod' } }, { matchLabels: { rack: 'r1' } }, 'possible'],
  [{ matchLabels: { env: 'prod' } }, { matchLabels: { env: 'prod', rack: 'r1' } }, 'certain'],
  [{ matchLabels: { env: 'prod', x: '1' } }, { matchLabels: { env: 'stage', y: '1' } }, 'never'],
  [{}, { matchLabels: { rack: 'r1' } }, 'certain'],
  [{ matchExpressions: [notLab] }, { matchLabels: { rack: 'r1' } }, 'certain'],
  [{ matchExpressions: [notLab] }, { matchExpressions: [{ key: 'spare', operator: 'DoesNotExist' }] }, 'certain'],
  [{ matchExpressions: [notLab], matchLabels: { row: '1' } }, { matchLabels: { rack: 'r1' } }, 'possible'],
  [{ matchExpressions: [notLab] }, { matchLabels: { env: 'lab' } }, 'never'],
];
for (const [one, other, overlap] of cases) {
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} overlap: ${overlap}`, () => {
    assert.equal(overlapOf(compileSelector(one), compileSelector(other)), overlap);
  });
}
