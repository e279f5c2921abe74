import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, keyOf, remove, temporaryStore } from '../store/temporary-store.ts';
import { followBucket } from './follow-bucket.ts';

test('an object a follower cannot take keeps neither its neighbours nor later changes from it', async (t) => {
  const errors: unknown[] = [];
  const store = await temporaryStore(t, { onError: (error) => errors.push(error) });
  const known = new Set<string>();
  let settled = 0;
  followBucket(store, keyOf('a').bucket, {
    set: ({ name }) => {
      if (name === 'bad') throw new Error('not to be read');
      known.add(name);
    },
    remove: ({ name }) => known.delete(name),
    settled: () => {
      settled += 1;
    },
  });
  await Promise.all([create(store, keyOf('bad')), create(store, keyOf('a'))]);
  assert.deepEqual([...known], ['a']);
  assert.equal(settled, 2);
  await create(store, keyOf('b'));
  await remove(store, keyOf('a'));
  assert.deepEqual([...known], ['b']);
  assert.equal(errors.length, 1);
  assert.match(store.followerFault() ?? '', /not to be read/);
});
