import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCondition } from './wait-for.ts';

const withCondition = (condition: object, generation = 1) => ({
  metadata: { generation },
  status: { conditions: [condition] },
});

test('a condition is met by its status, in any case of letters', () => {
  assert.equal(readCondition('condition=ready').isMet(withCondition({ type: 'Ready', status: 'True' })), true);
  assert.equal(readCondition('condition=Ready').isMet(withCondition({ type: 'Ready', status: 'False' })), false);
  assert.equal(readCondition('condition=Ready=false').isMet(withCondition({ type: 'Ready', status: 'False' })), true);
  assert.equal(readCondition('condition=Ready').isMet({}), false);
});

test('a condition that was judged on an older spec does not count', () => {
  const object = withCondition({ type: 'Ready', status: 'True', observedGeneration: 1 }, 2);
  assert.equal(readCondition('condition=Ready').isMet(object), false);
});

test('a path is met by its value, or by being there', () => {
  const object = { status: { phase: 'Running', 'a=b': 'c' } };
  assert.equal(readCondition('jsonpath={.status.phase}=Running').isMet(object), true);
  assert.equal(readCondition("jsonpath={.status.phase}='Running'").isMet(object), true);
  assert.equal(readCondition('jsonpath={.status.phase}=Failed').isMet(object), false);
  assert.equal(readCondition('jsonpath=.status.phase').isMet(object), true);
  assert.equal(readCondition('jsonpath={.status.missing}').isMet(object), false);
});

test('an object made anew under the same name counts as deleted', () => {
  const gone = readCondition('delete');
  assert.equal(gone.isMet({ metadata: { uid: '1' } }), false);
  assert.equal(gone.isMet({ metadata: { uid: '2' } }), true);
  assert.equal(readCondition('delete').isMet(undefined), true);
});

test('an unknown condition is refused with the ones there are', () => {
  assert.throws(() => readCondition('ready'), /condition=NAME\[=VALUE\], jsonpath=PATH\[=VALUE\], create and delete/);
});
