import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { CompactionClock } from './compaction-clock.ts';
import { openStore } from './open-store.ts';
import { create, keyOf, remove, temporaryDirectory, update } from './temporary-store.ts';

test('a revision is old when it was the newest a retention ago', () => {
  const clock = new CompactionClock({ retentionMs: 100, intervalMs: 30, revisions: 1000 });
  assert.ok(clock.tick(0, 10) <= 0);
  assert.ok(clock.tick(30, 20) <= 0);
  assert.ok(clock.tick(90, 30) <= 0);
  assert.equal(clock.tick(120, 40), 10);
  assert.equal(clock.tick(150, 50), 20);
  assert.equal(clock.tick(1000, 60), 50);
});

test('no more revisions are kept than the limit says, however young they are', () => {
  const clock = new CompactionClock({ retentionMs: 1_000_000, intervalMs: 30, revisions: 1000 });
  assert.equal(clock.tick(0, 5000), 4000);
});

test('compaction removes superseded and deleted revisions from the file, and nothing else', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  const kept: number[] = [];
  for (let n = 0; n < 300; n++) {
    const key = keyOf(`k${n}`);
    await Promise.all([create(store, key, 1), update(store, key, 2)]);
    if (n % 3 === 0) await remove(store, key);
    else kept.push(store.head(key)?.revision ?? 0);
  }
  await store.compact(store.revision());
  const newest = await update(store, keyOf('k1'), 3);
  await store.close();
  const db = new DatabaseSync(join(directory, 'objects.db'));
  t.after(() => db.close());
  const left = db
    .prepare('SELECT rv FROM revisions ORDER BY rv')
    .all()
    .map((row) => Number(row.rv));
  assert.deepEqual(left, [...kept, newest.revision]);
});

test('closing does not wait for a compaction, which is then rejected or done', async (t) => {
  const directory = temporaryDirectory(t);
  const errors: unknown[] = [];
  // Every turn of the timer starts a compaction of everything, so that closing falls into one.
  const retention = { intervalMs: 1, revisions: 0 };
  const store = await openStore({ directory, retention, onError: (error) => errors.push(error) });
  await create(store, keyOf('a'), 0);
  for (let n = 0; n < 500; n++) await update(store, keyOf('a'), n);
  await store.close();
  assert.deepEqual(errors, []);
  const again = await openStore({ directory, quickCheck: true });
  t.after(() => again.close());
  assert.equal(JSON.parse(again.get(keyOf('a'))?.json ?? '').spec.content, 499);
  assert.equal(again.revision(), 502);
});

test('an interrupted sweep is finished after the next start', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await create(store, keyOf('a'), 1);
  await update(store, keyOf('a'), 2);
  await store.close();
  const file = join(directory, 'objects.db');
  const before = new DatabaseSync(file);
  before.exec(`UPDATE meta SET value = 3 WHERE name = 'compacted'`);
  before.close();
  const again = await openStore({ directory });
  assert.equal(again.oldestRevision(), 3);
  // The sweep comes before anything that is asked for later, so that this compaction ends after it.
  await update(again, keyOf('a'), 3);
  await again.compact(4);
  await again.close();
  const after = new DatabaseSync(file);
  t.after(() => after.close());
  assert.deepEqual(
    after
      .prepare('SELECT rv FROM revisions')
      .all()
      .map((row) => row.rv),
    [4],
  );
});
