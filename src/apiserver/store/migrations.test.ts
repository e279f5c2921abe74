import assert from 'node:assert/strict';
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { formatOf, type Migration, migrate, migrations } from './migrations.ts';
import { openStore } from './open-store.ts';
import { create, keyOf, temporaryDirectory } from './temporary-store.ts';

const addColumn: Migration = { format: 2, up: (db) => db.exec('ALTER TABLE revisions ADD COLUMN note TEXT') };
const newer = [...migrations, addColumn];

test('formats are numbered from 1 without gaps', () => {
  assert.deepEqual(
    migrations.map((step) => step.format),
    migrations.map((_, index) => index + 1),
  );
});

test('an older database is brought up to date and a copy of it is kept', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await create(store, keyOf('a'), 'kept');
  await store.close();
  const file = join(directory, 'objects.db');
  using db = disposable(new DatabaseSync(file));
  const copy = migrate(db, file, newer);
  assert.equal(copy, `${file}.format-1`);
  assert.equal(formatOf(db), 2);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  using old = disposable(new DatabaseSync(copy));
  assert.equal(formatOf(old), 1);
  assert.match(String(old.prepare('SELECT value FROM revisions').get()?.value), /kept/);
  assert.equal(migrate(db, file, newer), undefined);
});

test('nobody else can read the copy while it is written', async (t) => {
  const directory = temporaryDirectory(t);
  await (await openStore({ directory })).close();
  const file = join(directory, 'objects.db');
  using db = disposable(new DatabaseSync(file));
  const prepare = db.prepare.bind(db);
  const modes: number[] = [];
  t.mock.method(db, 'prepare', (sql: string) => {
    if (sql.startsWith('VACUUM')) modes.push(statSync(`${file}.format-1`).mode & 0o777);
    return prepare(sql);
  });
  migrate(db, file, newer);
  assert.deepEqual(modes, [0o600]);
});

test('a migration that fails changes nothing, and trying again keeps the first copy', async (t) => {
  const directory = temporaryDirectory(t);
  await (await openStore({ directory })).close();
  const file = join(directory, 'objects.db');
  using db = disposable(new DatabaseSync(file));
  const broken: Migration = {
    format: 2,
    up(connection) {
      addColumn.up(connection);
      throw new Error('half way');
    },
  };
  assert.throws(() => migrate(db, file, [...migrations, broken]), /half way/);
  assert.equal(formatOf(db), 1);
  assert.equal(migrate(db, file, newer), `${file}.format-1.2`);
  assert.ok(existsSync(`${file}.format-1`));
});

test('a database of a newer version is refused with a line that says what to do', async (t) => {
  const directory = temporaryDirectory(t);
  await (await openStore({ directory })).close();
  const db = new DatabaseSync(join(directory, 'objects.db'));
  db.exec(`UPDATE meta SET value = 99 WHERE name = 'format'`);
  db.close();
  await assert.rejects(openStore({ directory }), {
    code: 'newer-format',
    message: /format 99.*up to 1.*start that version/,
  });
});

test('a file that is no database, or a damaged one, is refused', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'objects.db');
  writeFileSync(file, 'this is not a database, whatever its name says'.repeat(100));
  await assert.rejects(openStore({ directory }), { code: 'corrupt', message: /restore a backup/ });
});

test('the quick check finds a database that was cut short', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  for (let n = 0; n < 20; n++) await create(store, keyOf(`a${n}`), 'x'.repeat(3000));
  await store.close();
  const file = join(directory, 'objects.db');
  truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
  await assert.rejects(openStore({ directory, quickCheck: true }), { code: 'corrupt' });
});

function disposable(db: DatabaseSync): DatabaseSync & Disposable {
  return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}
