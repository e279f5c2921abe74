import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { matches } from './match-text.ts';

test('a star stands for any run of characters, everything else for itself', () => {
  const rows: [string, string, boolean][] = [
    ['r01-*', 'r01-s03', true],
    ['r01-*', 'r02-s03', false],
    ['*-s03', 'r01-s03', true],
    ['r*-s*', 'r01-s03', true],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a.c', 'abc', false],
    ['a**c', 'ac', true],
  ];
  for (const [pattern, text, expected] of rows) assert.equal(matches(pattern, text), expected, `${pattern} ${text}`);
});

test('it agrees with a regular expression', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(short, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      assert.equal(matches(pattern, text), expression.test(text));
    }),
    { numRuns: 1000 },
  );
});
