import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeRing } from './change-ring.ts';
import type { Change, Stored } from './store.ts';

const key = { bucket: 'b', namespace: 'n', name: 'x' };
const kib = 1024;

function version(revision: number): Stored {
  const json = 'x'.repeat(10 * kib);
  return { ...key, uid: 'u', revision, createdRevision: 1, labels: undefined, owners: undefined, json };
}

function change(revision: number, type: Change['type'], previous?: Stored): Change {
  return { revision, key, previous, current: version(revision), type };
}

test('objects that are live weigh little in the history, versions that were replaced weigh what they are', () => {
  const ring = new ChangeRing({ changes: 100, bytes: 1000 * kib }, 0, () => {});
  const added = change(1, 'ADDED');
  ring.push(added);
  assert.ok(ring.bytes < kib);
  const modified = change(2, 'MODIFIED', added.current);
  ring.push(modified);
  assert.ok(ring.bytes > 10 * kib && ring.bytes < 12 * kib);
  ring.push(change(3, 'DELETED', modified.current));
  assert.ok(ring.bytes > 30 * kib && ring.bytes < 33 * kib);
  ring.forget(3);
  assert.equal(ring.bytes, 0);
});

test('what does not fit goes, oldest first, and is told of', () => {
  const dropped: number[] = [];
  const ring = new ChangeRing({ changes: 100, bytes: 25 * kib }, 0, ({ revision }) => dropped.push(revision));
  let previous: Stored | undefined;
  for (let revision = 1; revision <= 5; revision++) {
    const next = change(revision, previous === undefined ? 'ADDED' : 'MODIFIED', previous);
    ring.push(next);
    previous = next.current;
  }
  assert.deepEqual(dropped, [1, 2, 3]);
  assert.equal(ring.floor, 3);
  assert.deepEqual(
    ring.after('b', 3).map(({ revision }) => revision),
    [4, 5],
  );
});
