import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { CommitLoop } from './commit-loop.ts';
import type { FlatRows, FromWriter, ToWriter } from './commit-protocol.ts';
import { migrate } from './migrations.ts';
import { openStore } from './open-store.ts';
import { create, keyOf, temporaryDirectory } from './temporary-store.ts';

const noReserve = { reserveBytes: 0, fullDiskPollMs: 5_000 };

/** A loop on a real database that is handed its messages by the test. */
function loopUnderTest(t: TestContext, { checkpointBytes = 1 << 20 } = {}) {
  const file = join(temporaryDirectory(t), 'objects.db');
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.exec('PRAGMA journal_mode = WAL');
  migrate(db, file);
  const waiting: ToWriter[] = [];
  const said: FromWriter[] = [];
  const port = { receive: () => waiting.shift(), say: (message: FromWriter) => said.push(message), close: () => {} };
  const loop = new CommitLoop(port, { file, keys: [], maxBytes: 100_000, checkpointBytes, ...noReserve });
  t.after(() => loop.run({ do: 'close' }));
  const revisions = () =>
    db
      .prepare('SELECT rv FROM revisions ORDER BY rv')
      .all()
      .map((row) => row.rv);
  return { db, loop, waiting, said, revisions };
}

function row(revision: number, json = '{}', prev = 0): FlatRows {
  return [revision, prev, revision, 0, 'example.com/widgets', '', `o${revision}`, 'uid', json];
}

test('everything that is waiting shares one commit', (t) => {
  const { loop, waiting, said, revisions } = loopUnderTest(t);
  waiting.push({ do: 'commit', epoch: 1, rows: [...row(3), ...row(4)] }, { do: 'commit', epoch: 1, rows: row(5) });
  loop.run({ do: 'commit', epoch: 1, rows: row(2) });
  assert.deepEqual(said, [{ did: 'commit', revision: 5 }]);
  assert.deepEqual(revisions(), [2, 3, 4, 5]);
});

test('after a failure, what was sent before the store knew of it is dropped', (t) => {
  const { loop, said, revisions } = loopUnderTest(t);
  loop.run({ do: 'commit', epoch: 1, rows: [...row(2), ...row(3, 'x'.repeat(200_000))] });
  assert.equal(said.at(-1)?.did, 'fail');
  loop.run({ do: 'commit', epoch: 1, rows: row(4) });
  assert.equal(said.length, 1);
  loop.run({ do: 'commit', epoch: 2, rows: row(5) });
  assert.deepEqual(said.at(-1), { did: 'commit', revision: 5 });
  assert.deepEqual(revisions(), [5]);
});

test('commits go before compactions that were asked for earlier, and the compaction still ends', (t) => {
  const { loop, waiting, said, revisions } = loopUnderTest(t);
  loop.run({ do: 'commit', epoch: 1, rows: [...row(2), ...row(3, '{}', 2)] });
  waiting.push({ do: 'commit', epoch: 1, rows: row(4) });
  loop.run({ do: 'compact', id: 7, revision: 3 });
  assert.deepEqual(said.slice(1), [
    { did: 'commit', revision: 4 },
    { did: 'compact', id: 7, error: undefined },
  ]);
  assert.deepEqual(revisions(), [3, 4]);
});

test('a checkpoint that fails is told of and tried again, and commits go on', (t) => {
  const { db, loop, said } = loopUnderTest(t, { checkpointBytes: 1 });
  let failures = 0;
  const exec = DatabaseSync.prototype.exec;
  t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    if (!sql.includes('wal_checkpoint') || failures > 0) return exec.call(this, sql);
    failures += 1;
    throw new Error('database or disk is full');
  });
  loop.run({ do: 'commit', epoch: 1, rows: row(2) });
  assert.match(JSON.stringify(said.at(-1)), /"fault".*could not be moved into the database: database or disk is full/);
  loop.run({ do: 'commit', epoch: 1, rows: row(3) });
  assert.deepEqual(said.at(-1), { did: 'commit', revision: 3 });
  assert.equal(
    db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.log,
    db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.checkpointed,
  );
});

test('a compaction that cannot be done is reported, and the next one catches up', (t) => {
  const { db, loop, said, revisions } = loopUnderTest(t);
  loop.run({ do: 'commit', epoch: 1, rows: [...row(2), ...row(3, '{}', 2)] });
  db.exec('ALTER TABLE meta RENAME TO hidden');
  loop.run({ do: 'compact', id: 1, revision: 3 });
  const failed = said.at(-1);
  assert.ok(failed?.did === 'compact' && failed.id === 1 && failed.error !== undefined);
  db.exec('ALTER TABLE hidden RENAME TO meta');
  loop.run({ do: 'compact', id: 2, revision: 3 });
  assert.deepEqual(said.at(-1), { did: 'compact', id: 2, error: undefined });
  assert.deepEqual(revisions(), [3]);
});

test('a store into whose database someone else wrote stops taking writes', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  t.after(() => store.close());
  const db = new DatabaseSync(join(directory, 'objects.db'));
  db.prepare('INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(...row(2));
  db.close();
  await assert.rejects(create(store, keyOf('a')), { code: 'writer-lost', retry: 'terminal' });
  assert.equal(store.head(keyOf('a')), undefined);
  await assert.rejects(create(store, keyOf('b')), { code: 'writer-lost' });
  await assert.rejects(store.compact(1_000), { code: 'writer-lost' });
});
