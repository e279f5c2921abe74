import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerReference } from '../object.ts';
import { keptIn, keptOf, storedVersion } from './stored-version.ts';

const owner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u1' };

function versionWith(owners: OwnerReference[]) {
  const fields = {
    key: { bucket: 'b', namespace: 'n', name: 'x' },
    uid: 'u',
    revision: 1,
    createdRevision: 1,
    json: '',
  };
  return storedVersion(fields, keptOf({ ownerReferences: owners }, undefined));
}

test('versions that name the same owners share one list', () => {
  const before = versionWith([owner]);
  assert.equal(keptOf({ ownerReferences: [{ ...owner }] }, before).owners, before.owners);
});

test('another owner, another field of one, or none makes for another list', () => {
  const before = versionWith([owner]);
  for (const owners of [[{ ...owner, uid: 'u2' }], [{ ...owner, blockOwnerDeletion: true }], [owner, owner]]) {
    assert.deepEqual(keptOf({ ownerReferences: owners }, before).owners, owners);
  }
  assert.equal(keptOf({ ownerReferences: [] }, before).owners, undefined);
  assert.equal(keptOf({}, before).owners, undefined);
});

test('what is kept does not follow the object that was written', () => {
  const mine = { ...owner };
  const labels: Record<string, string> = { app: 'web' };
  const kept = keptOf({ labels, ownerReferences: [mine] }, undefined);
  mine.uid = 'changed';
  labels.app = 'changed';
  assert.deepEqual(kept, { labels: { app: 'web' }, owners: [owner] });
});

test('what is read from disk is kept as it was when it was written', () => {
  const metadata = { labels: { app: 'web' }, ownerReferences: [owner] };
  for (const each of [metadata, { labels: metadata.labels }, { ownerReferences: metadata.ownerReferences }, {}]) {
    assert.deepEqual({ ...keptIn(JSON.stringify({ metadata: each })) }, keptOf(each, undefined));
  }
  const elsewhere = { metadata: {}, spec: { template: { metadata } } };
  assert.deepEqual(keptIn(JSON.stringify(elsewhere)), { labels: undefined, owners: undefined });
});
