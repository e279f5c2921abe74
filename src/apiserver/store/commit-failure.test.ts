import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openStore } from './open-store.ts';
import type { Stored } from './store.ts';
import {
  create,
  keyOf,
  listedNames,
  remove,
  replayed,
  stored,
  temporaryDirectory,
  temporaryStore,
  update,
  widget,
} from './temporary-store.ts';

const small = keyOf('small');
const huge = 'x'.repeat(400_000);

/** A store whose database may hold a few hundred kilobytes: a real SQLITE_FULL, not a pretended one. */
const tight = { maxBytes: 200_000 };

test('a write the disk does not take is refused, and the head is again what was committed', async (t) => {
  const store = await temporaryStore(t, tight);
  const before = await create(store, small, 1);
  await assert.rejects(update(store, small, huge), { code: 'commit-failed', retry: 'transient', message: /full/ });
  assert.equal(store.head(small), before);
  assert.equal(store.get(small), before);
  assert.equal(store.revision(), before.revision);
  await assert.rejects(create(store, keyOf('big'), huge), { code: 'commit-failed' });
  assert.equal(store.head(keyOf('big')), undefined);
  assert.deepEqual(listedNames(store), ['default/small@2']);
  assert.equal(store.stats().failedCommits, 2);
});

test('everything pending fails with it, also what was sent before the failure was known', async (t) => {
  const store = await temporaryStore(t, tight);
  await create(store, small, 1);
  const results: Promise<Stored>[] = [create(store, keyOf('big'), huge), update(store, small, 2)];
  // A turn of the event loop later these are in a message of their own, built on a head that will not be.
  await new Promise(setImmediate);
  const built = store.head(small)?.revision ?? 0;
  results.push(stored(store, { kind: 'update', key: small, object: widget(small, 3), expect: built }));
  for (const result of results) await assert.rejects(result, { code: 'commit-failed' });
  assert.equal(store.head(small)?.revision, 2);
  assert.deepEqual(
    replayed(store, 1).map((change) => change.revision),
    [2],
  );
});

test('later writes are tried afresh and never reuse a revision', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory, ...tight });
  const seen: number[] = [];
  store.subscribe(small.bucket, 1, (changes) => seen.push(...changes.map((change) => change.revision)));
  await create(store, small, 1);
  await assert.rejects(update(store, small, huge));
  const after = await update(store, small, 2);
  assert.equal(after.revision, 4);
  assert.deepEqual(seen, [2, 4]);
  await store.close();
  const again = await openStore({ directory });
  t.after(() => again.close());
  assert.deepEqual(
    replayed(again, 1).map((change) => [change.revision, change.previous?.revision]),
    [
      [2, undefined],
      [4, 2],
    ],
  );
});

test('waiting for a head that could not be stored says so', async (t) => {
  const store = await temporaryStore(t, tight);
  const failing = create(store, keyOf('big'), huge);
  const head = store.head(keyOf('big'));
  assert.ok(head);
  const waiting = store.durable(head);
  await assert.rejects(failing, { code: 'commit-failed' });
  await assert.rejects(waiting, { code: 'commit-failed' });
  await assert.rejects(store.durable(head), { code: 'commit-failed' });
});

test('waiting for a head that could not be stored says so also after later writes were', async (t) => {
  const store = await temporaryStore(t, tight);
  const failing = create(store, keyOf('big'), huge);
  const head = store.head(keyOf('big'));
  assert.ok(head);
  await assert.rejects(failing, { code: 'commit-failed' });
  const later = await create(store, small);
  await assert.rejects(store.durable(head), { code: 'commit-failed' });
  await store.durable(later);
});

test('settled does not reject for a write that failed, and its revision counts as handed out', async (t) => {
  const store = await temporaryStore(t, tight);
  const failing = assert.rejects(create(store, keyOf('big'), huge), { code: 'commit-failed' });
  await store.settled(keyOf('big'));
  assert.equal(store.head(keyOf('big')), undefined);
  assert.equal(store.revision(), 1);
  assert.equal(store.assigned(), 2);
  await failing;
});

test('a store that is full takes writes again once compaction made room', async (t) => {
  const store = await temporaryStore(t, tight);
  await create(store, small, 0);
  const fill = async () => {
    for (let n = 0; ; n++) await update(store, small, 'y'.repeat(20_000) + n);
  };
  await assert.rejects(fill, { code: 'commit-failed' });
  await store.compact(store.revision());
  await update(store, small, 'y'.repeat(20_000));
  await remove(store, small);
});

test('a store whose writer thread is gone says so', async (t) => {
  const writers = new Set<Worker>();
  const post = Worker.prototype.postMessage;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: unknown) {
    writers.add(this);
    post.call(this, message);
  });
  const store = await temporaryStore(t);
  await create(store, small);
  assert.equal(store.fault(), undefined);
  for (const writer of writers) await writer.terminate();
  assert.match(store.fault() ?? '', /the thread that writes to disk ended unexpectedly/);
  await assert.rejects(update(store, small, 2), { code: 'writer-lost' });
});
