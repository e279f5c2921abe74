import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { smallDisk, systemClock } from '../../../kube/index.ts';
import { isStoreError } from '../contract/fixture.ts';
import { openSqliteDatabase } from './open-sqlite.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const reserveBytes = 8 << 20;
const blob = 'x'.repeat(20_000);

const order = (database: SqliteDatabase, id: number) =>
  database.write((tx) => tx.run('INSERT INTO conditions VALUES (?, ?)', id, blob));
const renew = (database: SqliteDatabase, at: number) => database.write((tx) => tx.run('UPDATE leases SET at = ?', at));

/** A database on a disk that was filled, and what it told of its room. */
async function fullDisk(t: TestContext) {
  const disk = smallDisk(t, 24);
  if (disk === undefined) return undefined;
  const told: string[] = [];
  const room = Promise.withResolvers<void>();
  const onRoom = (message: string): void => {
    told.push(message);
    if (/has room again/.test(message)) room.resolve();
  };
  const path = join(disk.directory, 'engine.db');
  const open = () => openSqliteDatabase({ path, clock: systemClock, reserveBytes, fullDiskPollMs: 20, onRoom });
  const database = await open();
  t.after(() => database.close());
  await database.write((tx) => tx.run('CREATE TABLE conditions (id BIGINT PRIMARY KEY, parameters TEXT)'));
  await database.write((tx) => tx.run('CREATE TABLE leases (at BIGINT)'));
  await database.write((tx) => tx.run('INSERT INTO leases VALUES (0)'));
  for (let id = 0; id < 20; id++) await order(database, id);
  disk.fill();
  for (let id = 20; database.diskFault() === undefined; id++) await order(database, id).catch(isStoreError('diskFull'));
  return { disk, database, told, open, recovered: room.promise };
}

test('on a full disk new work is refused, and leases, ends and deletions are stored from a reserve', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { disk, database, told } = full;
  const fault = `the disk of ${disk.directory} is full; only work that has begun is stored until there is room`;
  assert.equal(database.diskFault(), fault);
  assert.deepEqual(told, [fault]);
  await assert.rejects(order(database, 1000), isStoreError('diskFull'));
  for (let at = 1; at <= 500; at++) await renew(database, at);
  assert.ok((await database.write((tx) => tx.run('DELETE FROM conditions'))) >= 20);
  assert.deepEqual(await database.read((tx) => tx.all('SELECT at FROM leases')), [{ at: 500 }]);
  assert.notEqual(database.diskFault(), undefined);
});

test('once there is room new work is taken again without a restart, and the reserve is back', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { disk, database, recovered } = full;
  disk.free();
  await recovered;
  assert.equal(database.diskFault(), undefined);
  await order(database, 1000);
  assert.equal(statSync(join(disk.directory, 'disk-reserve')).size, reserveBytes);
});

test('a database is opened on a full disk with the room of its reserve', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { disk, database, open, recovered } = full;
  disk.free();
  await recovered;
  await database.close();
  disk.fill();
  const again = await open();
  t.after(() => again.close());
  await renew(again, 7);
});
