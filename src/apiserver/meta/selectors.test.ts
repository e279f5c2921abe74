import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ApiError } from '../status.ts';
import { compileLabelSelector, compileSelectorObject, parseFieldSelector } from './selectors.ts';

type Labels = Readonly<Record<string, string>>;

const keys = ['a', 'b', 'constructor', 'toString', 'example.com/x'];
const values = ['1', '2', 'x', ''];
const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);
const labels = fc
  .uniqueArray(fc.tuple(key, value), { selector: ([name]) => name })
  .map((entries) => Object.fromEntries(entries) as Labels);

/** A requirement as text, and what it means. */
interface Term {
  readonly text: string;
  holds(found: string | undefined): boolean;
  readonly key: string;
}

const term: fc.Arbitrary<Term> = fc.oneof(
  fc.tuple(key, value, fc.constantFrom('=', '==')).map(([k, v, sign]) => ({
    key: k,
    text: `${k}${sign}${v}`,
    holds: (found: string | undefined) => found === v,
  })),
  fc
    .tuple(key, value)
    .map(([k, v]) => ({ key: k, text: `${k} != ${v}`, holds: (found: string | undefined) => found !== v })),
  fc.tuple(key, fc.array(value, { minLength: 1, maxLength: 3 })).map(([k, list]) => ({
    key: k,
    text: `${k} in (${list.join(', ')})`,
    holds: (found: string | undefined) => found !== undefined && list.includes(found),
  })),
  fc.tuple(key, fc.array(value, { minLength: 1, maxLength: 3 })).map(([k, list]) => ({
    key: k,
    text: `${k} notin (${list.join(',')})`,
    holds: (found: string | undefined) => found === undefined || !list.includes(found),
  })),
  key.map((k) => ({ key: k, text: k, holds: (found: string | undefined) => found !== undefined })),
  key.map((k) => ({ key: k, text: `!${k}`, holds: (found: string | undefined) => found === undefined })),
  key.map((k) => ({ key: k, text: `${k}>1`, holds: (found: string | undefined) => found === '2' })),
  key.map((k) => ({ key: k, text: `${k} < 2`, holds: (found: string | undefined) => found === '1' })),
);

test('a label selector keeps exactly what all of its terms keep', () => {
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 4 }), labels, (terms, carried) => {
      const matches = compileLabelSelector(terms.map(({ text }) => text).join(','));
      const own = (name: string): string | undefined => (Object.hasOwn(carried, name) ? carried[name] : undefined);
      assert.equal(
        matches?.(carried),
        terms.every((each) => each.holds(own(each.key))),
      );
    }),
  );
});

test('an object without labels has none of them', () => {
  assert.equal(compileLabelSelector('a')?.(undefined), false);
  assert.equal(compileLabelSelector('!a')?.(undefined), true);
  assert.equal(compileLabelSelector('a notin (b)')?.(undefined), true);
});

test('a selector object selects as its text does', () => {
  fc.assert(
    fc.property(key, value, labels, (name, wanted, carried) => {
      const byObject = compileSelectorObject({
        matchLabels: { [name]: wanted },
        matchExpressions: [{ key: 'b', operator: 'DoesNotExist' }],
      });
      assert.equal(byObject?.(carried), compileLabelSelector(`${name}=${wanted},!b`)?.(carried));
    }),
  );
  assert.equal(compileSelectorObject({}), undefined);
});

test('any text is a selector or gets a 400', () => {
  const characters = fc.constantFrom(
    'a',
    'b',
    '=',
    '!',
    '<',
    '>',
    '(',
    ')',
    ',',
    ' ',
    'in',
    'notin',
    '/',
    '.',
    '-',
    'ä',
    '\0',
    '\n',
  );
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 60 }), (text) => {
      for (const compile of [() => compileLabelSelector(text)?.({ a: 'b' }), () => parseFieldSelector(text)]) {
        try {
          compile();
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === 400, String(error));
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('a field selector unescapes its values', () => {
  assert.deepEqual(parseFieldSelector('metadata.name=a\\,b,spec.x!=c\\=d,y==\\\\'), [
    { field: 'metadata.name', negate: false, value: 'a,b' },
    { field: 'spec.x', negate: true, value: 'c=d' },
    { field: 'y', negate: false, value: '\\' },
  ]);
});

test('a field selector without a field keeps everything when it has no value either', () => {
  assert.deepEqual(parseFieldSelector('=,==,!='), []);
  assert.deepEqual(parseFieldSelector('=a,!b='), [
    { field: '', negate: false, value: 'a' },
    { field: '!b', negate: false, value: '' },
  ]);
});
