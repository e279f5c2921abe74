import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UniqueViolation } from '../database.ts';
import { addItem, amounts, type ContractTarget, emptyDatabase, isStoreError, itemDatabase, write } from './fixture.ts';

/** Unique indexes, also partial ones, hold under concurrency and are called the same everywhere. */
export function tryConstraints(target: ContractTarget): void {
  test('of fifty that create the same key at once, one succeeds', async (t) => {
    const database = await itemDatabase(t, target);
    const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => addItem(database, 'same', n)));
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    assert.equal(failures.length, 49);
    for (const failure of failures) assert.ok(failure instanceof UniqueViolation, String(failure));
    assert.equal(Object.keys(await amounts(database)).length, 1);
  });

  test('of fifty that create the same key unless it is there, one is told that it did', async (t) => {
    const database = await itemDatabase(t, target);
    const sql = 'INSERT INTO item (id, amount) VALUES (?, ?) ON CONFLICT DO NOTHING';
    const counts = await Promise.all(Array.from({ length: 50 }, (_, n) => write(database, sql, 'same', n)));
    assert.deepEqual(counts.sort(), [...Array(49).fill(0), 1]);
  });

  test('a unique index over some rows only holds for those', async (t) => {
    const database = await emptyDatabase(t, target);
    await write(database, 'CREATE TABLE work (id TEXT PRIMARY KEY, target TEXT NOT NULL, state TEXT NOT NULL)');
    await write(database, `CREATE UNIQUE INDEX work_open_target ON work (target) WHERE state IN ('pending', 'active')`);
    const add = (id: string, state: string) =>
      write(database, 'INSERT INTO work VALUES (?, ?, ?)', id, 'server/1', state);
    await add('1', 'failed');
    await add('2', 'failed');
    await add('3', 'pending');
    await assert.rejects(add('4', 'active'), { name: 'UniqueViolation', constraint: 'work_open_target' });
    await write(database, `UPDATE work SET state = 'succeeded' WHERE id = '3'`);
    await add('4', 'active');
    await assert.rejects(write(database, `UPDATE work SET state = 'active' WHERE id = '1'`), {
      constraint: 'work_open_target',
    });
  });

  test('what must be unique has the same name everywhere', async (t) => {
    const database = await emptyDatabase(t, target);
    await write(
      database,
      'CREATE TABLE named (id BIGINT PRIMARY KEY, a TEXT UNIQUE, b TEXT, c TEXT, d TEXT, UNIQUE (b, c))',
    );
    await write(database, 'CREATE UNIQUE INDEX named_by_d ON named (d)');
    await write(database, 'CREATE UNIQUE INDEX named_by_lower_d ON named (lower(d), id)');
    await write(database, `INSERT INTO named VALUES (1, 'a', 'b', 'c', 'd')`);
    const constraintOf = async (...row: (string | number)[]) => {
      const error = await write(database, 'INSERT INTO named VALUES (?, ?, ?, ?, ?)', ...row).catch((e: unknown) => e);
      assert.ok(error instanceof UniqueViolation, String(error));
      return error.constraint;
    };
    assert.equal(await constraintOf(1, 'x', 'x', 'x', 'x'), 'named_pkey');
    assert.equal(await constraintOf(2, 'a', 'x', 'x', 'x'), 'named_a_key');
    assert.equal(await constraintOf(2, 'x', 'b', 'c', 'x'), 'named_b_c_key');
    assert.equal(await constraintOf(2, 'x', 'x', 'x', 'd'), 'named_by_d');
  });

  test('references to other rows and conditions on a row are kept', async (t) => {
    const database = await itemDatabase(t, target);
    await write(
      database,
      'CREATE TABLE part (id TEXT PRIMARY KEY, item TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE, n BIGINT CHECK (n > 0))',
    );
    await addItem(database, 'a', 1);
    await assert.rejects(write(database, `INSERT INTO part VALUES ('p', 'b', 1)`), isStoreError('constraint'));
    await assert.rejects(write(database, `INSERT INTO part VALUES ('p', 'a', 0)`), isStoreError('constraint'));
    await assert.rejects(write(database, `INSERT INTO part VALUES ('p', NULL, 1)`), isStoreError('constraint'));
    await write(database, `INSERT INTO part VALUES ('p', 'a', 1)`);
    await write(database, `DELETE FROM item WHERE id = 'a'`);
    assert.deepEqual(await database.read((tx) => tx.all('SELECT id FROM part')), []);
  });

  test('a row that is there is changed by the same statement that would add it', async (t) => {
    const database = await itemDatabase(t, target);
    const sql = `INSERT INTO item (id, amount) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET amount = item.amount + excluded.amount RETURNING amount`;
    const put = (amount: number) => database.write((tx) => tx.first(sql, 'a', amount));
    assert.deepEqual(await put(2), { amount: 2 });
    assert.deepEqual(await put(3), { amount: 5 });
  });
}
