import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createFakeClock, systemClock } from '../../../kube/index.ts';
import { isStoreError } from '../contract/fixture.ts';
import { migrate } from '../migrations.ts';
import { temporaryFolder, temporarySqlite } from '../testing/temporary-sqlite.ts';
import { openSqliteDatabase } from './open-sqlite.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('the folder and every file in it are for their owner only', async (t) => {
  const path = join(temporaryFolder(t), 'new', 'engine.db');
  const database = await openSqliteDatabase({ path, clock: systemClock });
  t.after(() => database.close());
  await database.write((tx) => tx.run('CREATE TABLE item (id TEXT)'));
  assert.equal(modeOf(dirname(path)), '700');
  const files = readdirSync(dirname(path));
  assert.ok(files.includes('engine.db-wal'), files.join());
  for (const file of files) assert.equal(modeOf(join(dirname(path), file)), '600', file);
});

test('a second one to open a file is told who has it, and can when that one is done', async (t) => {
  const path = join(temporaryFolder(t), 'engine.db');
  const clock = createFakeClock(Date.UTC(2024, 4, 6, 7, 8, 9));
  const first = await openSqliteDatabase({ path, clock });
  await assert.rejects(openSqliteDatabase({ path, clock }), {
    code: 'inUse',
    message: `the database ${path} is in use by process ${process.pid} (since 2024-05-06T07:08:09.000Z); only one process may open it: stop that one, or use another file`,
  });
  await first.close();
  await (await openSqliteDatabase({ path, clock })).close();
  assert.deepEqual(readdirSync(dirname(path)).sort(), ['engine.db', 'engine.db.lock']);
});

test('the lock of a killed process is gone with it', async (t) => {
  const path = join(temporaryFolder(t), 'engine.db');
  const program = `
    import { openSqliteDatabase } from '${new URL('./open-sqlite.ts', import.meta.url).href}';
    import { systemClock } from '${new URL('../../../kube/index.ts', import.meta.url).href}';
    await openSqliteDatabase({ path: process.argv[1], clock: systemClock });
    console.log('open');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(openSqliteDatabase({ path, clock: systemClock }), {
    code: 'inUse',
    message: new RegExp(`process ${child.pid} `),
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await openSqliteDatabase({ path, clock: systemClock })).close();
});

test('a file that is no database is refused, and left unlocked', async (t) => {
  const path = join(temporaryFolder(t), 'engine.db');
  writeFileSync(path, 'this is a letter, not a database, and longer than the header of one would be. '.repeat(20));
  await assert.rejects(openSqliteDatabase({ path, clock: systemClock }), isStoreError('unusable'));
  await assert.rejects(openSqliteDatabase({ path, clock: systemClock }), isStoreError('unusable'));
});

test('a path that is a folder is refused', async (t) => {
  const path = join(temporaryFolder(t), 'engine.db');
  mkdirSync(path);
  await assert.rejects(openSqliteDatabase({ path, clock: systemClock }));
});

test('a database in memory is gone when closed', async () => {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  await database.write((tx) => tx.run('CREATE TABLE item (id TEXT)'));
  const folder = dirname(database.label);
  await database.close();
  assert.equal(existsSync(folder), false);
});

test('what a transaction calls now is the clock it was given', async (t) => {
  const clock = createFakeClock(1_000);
  const database = await temporarySqlite(t, { clock });
  const now = () => database.write(async (tx) => tx.now);
  assert.equal(await now(), 1_000);
  clock.advance(500);
  assert.equal(await now(), 1_500);
});

test('a copy of an older file is kept before it is migrated, and can be opened', async (t) => {
  const database = await temporarySqlite(t);
  const first = { version: 1, statements: { common: ['CREATE TABLE item (id TEXT)'] } };
  const second = { version: 2, statements: { common: ['DROP TABLE item'] } };
  await migrate(database, [first]);
  await database.write((tx) => tx.run(`INSERT INTO item VALUES ('kept')`));
  const { copy = '' } = await migrate(database, [first, second]);
  assert.equal(copy, `${database.label}.engine-1`);
  assert.equal(modeOf(copy), '600');
  const old = await openSqliteDatabase({ path: copy, clock: systemClock });
  t.after(() => old.close());
  assert.deepEqual(await old.read((tx) => tx.all('SELECT id FROM item')), [{ id: 'kept' }]);
});

test('a copy is made while writes go on, and never over another file', async (t) => {
  const database = await temporarySqlite(t);
  await database.write((tx) => tx.run('CREATE TABLE item (id BIGINT PRIMARY KEY)'));
  const target = `${database.label}.copy`;
  const writes = Array.from({ length: 200 }, (_, n) =>
    database.write((tx) => tx.run('INSERT INTO item VALUES (?)', n)),
  );
  await Promise.all([...writes, database.copyTo(target)]);
  await assert.rejects(database.copyTo(target), isStoreError('unusable'));
  const copy = await openSqliteDatabase({ path: target, clock: systemClock });
  t.after(() => copy.close());
  assert.deepEqual(await copy.read((tx) => tx.all('PRAGMA quick_check')), [{ quick_check: 'ok' }]);
});

test('the log does not grow without end while writes go on', async (t) => {
  const database = await temporarySqlite(t);
  await database.write((tx) => tx.run('CREATE TABLE item (id BIGINT PRIMARY KEY, note TEXT)'));
  const note = 'x'.repeat(20_000);
  let next = 0;
  const work = async () => {
    while (next < 3_000) {
      const id = next++;
      await database.write((tx) => tx.run('INSERT INTO item VALUES (?, ?)', id, note));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  const written = 3_000 * note.length;
  const log = statSync(`${database.label}-wal`).size;
  assert.ok(log < written / 2, `the log has ${log} bytes after ${written} were written`);
});
