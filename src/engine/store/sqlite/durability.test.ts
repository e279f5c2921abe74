import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { isStoreError } from '../contract/fixture.ts';
import type { StoreError } from '../errors.ts';
import { temporaryFolder, temporarySqlite } from '../testing/temporary-sqlite.ts';
import { openSqliteDatabase } from './open-sqlite.ts';

/** A disk that syncs when the test says so, and at once when the test is over, so that a failed test ends. */
function slowDisk(t: TestContext) {
  const asked: PromiseWithResolvers<void>[] = [];
  let isOver = false;
  t.after(() => {
    isOver = true;
    for (const order of asked.splice(0)) order.resolve();
  });
  let arrived = Promise.withResolvers<void>();
  return {
    wrapSync: (sync: () => Promise<void>) => async () => {
      const order = Promise.withResolvers<void>();
      asked.push(order);
      arrived.resolve();
      if (!isOver) await order.promise;
      await sync();
    },
    /** Resolves when the database waits for the disk. */
    async isAsked() {
      while (asked.length === 0) {
        await arrived.promise;
        arrived = Promise.withResolvers();
      }
    },
    finish: () => asked.shift()?.resolve(),
    fail: (error: Error) => asked.shift()?.reject(error),
  };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let hasSettled = false;
  const settle = () => {
    hasSettled = true;
  };
  promise.then(settle, settle);
  // Several turns, so that whatever could have settled it has had its chance.
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
  return hasSettled;
}

test('a write and whoever reads it hear nothing before it is on disk', async (t) => {
  const disk = slowDisk(t);
  const database = await temporarySqlite(t, { wrapSync: disk.wrapSync });
  const write = database.write((tx) => tx.run('CREATE TABLE item (id TEXT PRIMARY KEY)'));
  await disk.isAsked();
  const read = database.read((tx) => tx.all('SELECT id FROM item'));
  const refused = database.write((tx) => tx.run('CREATE TABLE item (id TEXT PRIMARY KEY)'));
  refused.catch(() => undefined);
  const unrelated = database.read(async () => 'saw nothing');
  assert.equal(await unrelated, 'saw nothing');
  assert.deepEqual(await Promise.all([write, read, refused].map(isSettled)), [false, false, false]);
  disk.finish();
  await write;
  assert.deepEqual(await read, []);
  await assert.rejects(refused, isStoreError('badStatement'));
});

test('writes that come while the disk is busy share the next sync', async (t) => {
  const disk = slowDisk(t);
  // On a busy machine a commit would be cut short by its time.
  const clock = { ...systemClock, monotonic: () => 0 };
  const database = await temporarySqlite(t, { clock, wrapSync: disk.wrapSync });
  const table = database.write((tx) => tx.run('CREATE TABLE item (id BIGINT PRIMARY KEY)'));
  await disk.isAsked();
  const writes = Array.from({ length: 100 }, (_, n) =>
    database.write((tx) => tx.run('INSERT INTO item VALUES (?)', n)),
  );
  assert.equal(await isSettled(Promise.race(writes)), false);
  disk.finish();
  await table;
  await disk.isAsked();
  disk.finish();
  await Promise.all(writes);
  assert.equal(database.counts.syncs, 2);
  assert.ok(database.counts.commits <= 3, `${database.counts.commits} commits for 101 writes`);
});

test('a disk that fails ends the database: writes on their way are in doubt, later ones are refused', async (t) => {
  const disk = slowDisk(t);
  const faults: StoreError[] = [];
  const database = await temporarySqlite(t, { wrapSync: disk.wrapSync, onFault: (fault) => void faults.push(fault) });
  const write = database.write((tx) => tx.run('CREATE TABLE item (id TEXT)'));
  await disk.isAsked();
  disk.fail(new Error('EIO: i/o error, fdatasync'));
  await assert.rejects(write, isStoreError('outcomeUnknown'));
  await assert.rejects(
    database.write((tx) => tx.run('CREATE TABLE other (id TEXT)')),
    isStoreError('faulted'),
  );
  await assert.rejects(
    database.read(async () => 1),
    isStoreError('faulted'),
  );
  assert.deepEqual(
    faults.map((fault) => fault.code),
    ['faulted'],
  );
});

test('a full disk fails what does not fit and nothing else', async (t) => {
  const database = await temporarySqlite(t);
  await database.write((tx) => tx.run('CREATE TABLE item (id BIGINT PRIMARY KEY, note TEXT)'));
  await database.write((tx) => tx.run('PRAGMA max_page_count = 40'));
  const add = (id: number, length: number) =>
    database.write((tx) => tx.run('INSERT INTO item VALUES (?, ?)', id, 'x'.repeat(length)));
  const ends = await Promise.allSettled([add(1, 10), add(2, 10), add(3, 1 << 20), add(4, 10)]);
  assert.deepEqual(
    ends.map((end) => end.status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(ends[2]?.status === 'rejected' && (ends[2].reason as StoreError).code, 'diskFull');
  const rows = await database.read((tx) => tx.all('SELECT id FROM item ORDER BY id'));
  assert.deepEqual(
    rows.map((row) => row.id),
    [1, 2, 4],
  );
});

const program = `
  import { openSqliteDatabase } from '${new URL('./open-sqlite.ts', import.meta.url).href}';
  import { systemClock } from '${new URL('../../../kube/index.ts', import.meta.url).href}';
  const database = await openSqliteDatabase({ path: process.argv[1], clock: systemClock });
  await database.write((tx) => tx.run('CREATE TABLE item (id BIGINT PRIMARY KEY, half BIGINT, note TEXT)'));
  let next = 0;
  const work = async () => {
    for (;;) {
      const id = (next += 2);
      await database.write(async (tx) => {
        await tx.run('INSERT INTO item VALUES (?, 1, ?)', id, 'x'.repeat(2000));
        await tx.run('INSERT INTO item VALUES (?, 2, ?)', id + 1, 'y'.repeat(2000));
      });
      console.log(id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
`;

test('what a killed process was told is stored is there, and of what it was not told all or nothing', async (t) => {
  const path = join(temporaryFolder(t), 'engine.db');
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const told: number[] = [];
  const gone = once(child, 'close');
  for await (const line of createInterface(child.stdout)) {
    told.push(Number(line));
    // Enough for the log to have been moved into the database meanwhile.
    if (told.length === 2_000) child.kill('SIGKILL');
  }
  await gone;
  const database = await openSqliteDatabase({ path, clock: systemClock });
  t.after(() => database.close());
  const rows = await database.read((tx) => tx.all('SELECT id FROM item'));
  const stored = new Set(rows.map((row) => Number(row.id)));
  assert.deepEqual(
    told.filter((id) => !stored.has(id) || !stored.has(id + 1)),
    [],
  );
  const torn = [...stored].filter((id) => !stored.has(id % 2 === 0 ? id + 1 : id - 1));
  assert.deepEqual(torn, []);
  assert.deepEqual(await database.read((tx) => tx.all('PRAGMA quick_check')), [{ quick_check: 'ok' }]);
});

test('work whose savepoint is gone fails with the others of its commit, and nobody waits for ever', async (t) => {
  const database = await temporarySqlite(t);
  await database.write((tx) => tx.run('CREATE TABLE item (id TEXT PRIMARY KEY)'));
  const outcomes = await Promise.allSettled([
    database.write((tx) => tx.run(`INSERT INTO item VALUES ('a')`)),
    database.write((tx) => tx.run('RELEASE work')),
  ]);
  for (const one of outcomes) assert.equal(one.status, 'rejected');
  await database.write((tx) => tx.run(`INSERT INTO item VALUES ('b')`));
  assert.deepEqual(await database.read((tx) => tx.all('SELECT id FROM item')), [{ id: 'b' }]);
});
