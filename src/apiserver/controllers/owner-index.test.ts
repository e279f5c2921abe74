import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';
import { OwnerIndex } from './owner-index.ts';

const first: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'ua' };
const second: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'ub' };

function stored(owners: readonly OwnerReference[] | undefined): Stored {
  const key = { bucket: '/configmaps', namespace: 'n', name: 'x' };
  return { ...key, uid: 'u', revision: 1, createdRevision: 1, labels: undefined, owners, json: '{}' };
}

test('an object whose owners stay the same has nothing new to say', () => {
  const index = new OwnerIndex();
  const owners = [first];
  assert.deepEqual(index.set(stored(owners)), []);
  assert.equal(index.set(stored(owners)), undefined);
  assert.equal(new OwnerIndex().set(stored(undefined)), undefined);
});

test('owners that come and go are followed, and those before are told', () => {
  const index = new OwnerIndex();
  index.set(stored([first]));
  assert.deepEqual(index.set(stored([second])), [first]);
  assert.deepEqual([...index.dependentsOf('ua').keys()], []);
  assert.deepEqual([...index.dependentsOf('ub').keys()], ['/configmaps|n|x']);
  assert.deepEqual(index.set(stored(undefined)), [second]);
  assert.deepEqual([...index.dependentsOf('ub').keys()], []);
  assert.deepEqual(index.remove(stored(undefined)), []);
});
