import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { compileSelector } from '../fleet/selector.ts';
import { readSelector } from './read-selector.ts';

function isSelected(text: string, labels: Record<string, string>): boolean {
  const read = readSelector(text);
  assert.ok('selector' in read, JSON.stringify(read));
  return compileSelector(read.selector).matches(labels);
}

test('selectors are read as they are written on command lines', () => {
  const labels = { env: 'prod', tier: 'web', 'example.com/rack': 'a1' };
  for (const text of [
    'env=prod',
    'env==prod,tier!=db',
    'env in (prod, test),tier notin (db)',
    'example.com/rack=a1',
    'env,!spare',
    ' env = prod , tier ',
    'none!=',
  ]) {
    assert.ok(isSelected(text, labels), text);
  }
  for (const text of ['env=test', 'env!=prod', 'spare', '!env', 'env in (test)', 'env=']) {
    assert.ok(!isSelected(text, labels), text);
  }
});

test('what cannot be read is told with the letter at which it goes wrong', () => {
  const problems: [string, number, RegExp][] = [
    ['env=prod,,tier', 10, /key of a label is missing, and "," stands there/],
    ['env=prod,', 10, /key of a label is missing, and the text ends/],
    ['', 1, /the text ends/],
    ['env>5', 4, /">" stands where =, ==, != ?,? in or notin should|">" stands where/],
    ['env in prod', 8, /"\(" is missing/],
    ['env in (a b)', 11, /"\)" or a comma is missing/],
    ['env in (', 9, /a value is missing, and the text ends/],
    ['-env=prod', 1, /"-env" is no key of a label/],
    ['a/b/c=1', 1, /is no key of a label/],
    ['env=pr od', 8, /"od" stands where a comma or the end should/],
    [`env=${'x'.repeat(64)}`, 5, /is no value of a label/],
    ['env=-', 5, /is no value of a label/],
  ];
  for (const [text, at, message] of problems) {
    const read = readSelector(text);
    assert.ok('problem' in read, text);
    assert.equal(read.problem.at, at, text);
    assert.match(read.problem.message, message);
  }
});

test('no text makes it throw', () => {
  const pieces = fc.array(fc.constantFrom('a', '=', '!', '(', ')', ',', ' ', 'in', 'notin', '<', '==', 'é'));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pieces.map((list) => list.join('')),
      ),
      (text) => {
        const read = readSelector(text);
        if ('problem' in read) assert.ok(read.problem.at >= 1 && read.problem.at <= text.length + 1);
      },
    ),
  );
});
