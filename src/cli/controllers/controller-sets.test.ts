import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseSets } from './controller-sets.ts';

const nothing = { only: undefined, updateServiceUrl: undefined, ironicUrl: undefined, provisioner: undefined };
const updateServiceUrl = 'https://updates.example';
const ironicUrl = 'https://ironic.example:6385';

test('what is named is looked after, and switches besides', () => {
  assert.deepEqual([...chooseSets({ ...nothing, updateServiceUrl })], ['firmware', 'network']);
  assert.deepEqual([...chooseSets({ ...nothing, ironicUrl })], ['hosts', 'network']);
  assert.deepEqual([...chooseSets({ ...nothing, provisioner: 'agent' })], ['hosts', 'network']);
  assert.deepEqual([...chooseSets({ ...nothing, updateServiceUrl, ironicUrl })], ['firmware', 'hosts', 'network']);
});

test('only what is asked for is looked after', () => {
  assert.deepEqual([...chooseSets({ ...nothing, updateServiceUrl, ironicUrl, only: ['hosts'] })], ['hosts']);
  assert.deepEqual([...chooseSets({ ...nothing, only: ['network'] })], ['network']);
});

test('controllers of nothing are refused', () => {
  assert.throws(() => chooseSets(nothing), /what is to be looked after\?/);
});
