import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Migration, migrate, readStoreId } from '../migrations.ts';
import { type ContractTarget, emptyDatabase, isStoreError } from './fixture.ts';

const steps: readonly Migration[] = [
  { version: 1, statements: { common: ['CREATE TABLE thing (id TEXT PRIMARY KEY)'] } },
  {
    version: 3,
    statements: {
      common: ['ALTER TABLE thing ADD COLUMN kind TEXT', `INSERT INTO thing VALUES ('common', NULL)`],
      sqlite: [`INSERT INTO thing VALUES ('own', 'sqlite')`],
      postgres: [`INSERT INTO thing VALUES ('own', 'postgres')`],
    },
  },
];

/** Schemas grow step by step, and a store keeps its id. */
export function tryMigrations(target: ContractTarget): void {
  test('an empty database gets every step once, and an id', async (t) => {
    const database = await emptyDatabase(t, target);
    const first = await migrate(database, steps);
    assert.deepEqual(first, { from: 0, to: 3, copy: undefined });
    const id = await readStoreId(database);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.deepEqual(await migrate(database, steps), { from: 3, to: 3, copy: undefined });
    assert.equal(await readStoreId(database), id);
    const rows = await database.read((tx) => tx.all('SELECT id, kind FROM thing ORDER BY id'));
    assert.deepEqual(rows, [
      { id: 'common', kind: null },
      { id: 'own', kind: database.dialect },
    ]);
  });

  test('a database of a newer program is refused and left as it is', async (t) => {
    const database = await emptyDatabase(t, target);
    await migrate(database, steps);
    await assert.rejects(migrate(database, steps.slice(0, 1)), (error) => {
      isStoreError('newer')(error);
      assert.match(String(error), /engine has version 3, this program knows up to 1\)/);
      return true;
    });
  });

  test('a step that fails leaves nothing of itself, and those before it stay', async (t) => {
    const database = await emptyDatabase(t, target);
    const broken: Migration = {
      version: 5,
      statements: { common: ['CREATE TABLE half (id TEXT)', 'CREATE NONSENSE'] },
    };
    await assert.rejects(migrate(database, [...steps, broken]), isStoreError('badStatement'));
    await assert.rejects(
      database.read((tx) => tx.all('SELECT id FROM half')),
      isStoreError('badStatement'),
    );
    const repaired: Migration = { version: 5, statements: { common: ['CREATE TABLE half (id TEXT)'] } };
    const { from, to } = await migrate(database, [...steps, repaired]);
    assert.deepEqual([from, to], [3, 5]);
  });

  test('rooms that share a database have versions of their own', async (t) => {
    const database = await emptyDatabase(t, target);
    await migrate(database, steps);
    const other: Migration[] = [{ version: 1, statements: { common: ['CREATE TABLE other (id TEXT)'] } }];
    assert.deepEqual(await migrate(database, other, { schema: 'inventory' }), { from: 0, to: 1, copy: undefined });
    assert.equal((await migrate(database, steps)).from, 3);
  });

  test('steps that are out of order are refused', async (t) => {
    const database = await emptyDatabase(t, target);
    await assert.rejects(migrate(database, [...steps].reverse()), isStoreError('badStatement'));
  });
}
