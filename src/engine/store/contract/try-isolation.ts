import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../database.ts';
import { addItem, amounts, type ContractTarget, itemDatabase, meetingPoint, write } from './fixture.ts';

/** Transactions behave as if they ran one after the other, and readers see one moment. */
export function tryIsolation(target: ContractTarget): void {
  test('two that read a number and write one more are both counted', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'counter', 0);
    const meet = meetingPoint(database, 2);
    await Promise.all([1, 2].map(() => increment(database, meet)));
    assert.deepEqual(await amounts(database), { counter: 2 });
    if (database.dialect === 'postgres') assert.ok(database.counts.retries > 0, 'one of them has to be run again');
  });

  test('of forty increments at once none is lost', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'counter', 0);
    await Promise.all(Array.from({ length: 40 }, () => increment(database, async () => {})));
    assert.deepEqual(await amounts(database), { counter: 40 });
  });

  test('two that each leave because the other stays do not both leave', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'ann', 1);
    await addItem(database, 'bob', 1);
    const meet = meetingPoint(database, 2);
    const leave = (id: string) =>
      database.write(async (tx) => {
        const present = await tx.first('SELECT sum(amount) AS present FROM item');
        await meet();
        if (Number(present?.present) > 1) await tx.run('UPDATE item SET amount = 0 WHERE id = ?', id);
      });
    await Promise.all([leave('ann'), leave('bob')]);
    const left = Object.values(await amounts(database)).filter((amount) => amount === 1);
    assert.equal(left.length, 1);
  });

  test('two that each add a row because there is none add one row', async (t) => {
    const database = await itemDatabase(t, target);
    const meet = meetingPoint(database, 2);
    const addIfNone = (id: string) =>
      database.write(async (tx) => {
        const none = (await tx.first('SELECT id FROM item WHERE amount > 0')) === undefined;
        await meet();
        if (none) await tx.run('INSERT INTO item (id, amount) VALUES (?, 1)', id);
      });
    await Promise.all([addIfNone('a'), addIfNone('b')]);
    assert.equal(Object.keys(await amounts(database)).length, 1);
  });

  test('a read sees one moment, whatever is written meanwhile', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'a', 1);
    const seen = await database.read(async (tx) => {
      const before = await tx.all('SELECT id, amount FROM item');
      await addItem(database, 'b', 1);
      await write(database, 'UPDATE item SET amount = 7');
      return { before, after: await tx.all('SELECT id, amount FROM item') };
    });
    assert.deepEqual(seen.before, [{ id: 'a', amount: 1 }]);
    assert.deepEqual(seen.after, seen.before);
    assert.deepEqual(await amounts(database), { a: 7, b: 7 });
  });

  test('a read does not wait for a write that is going on, nor see what it did', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'a', 1);
    await database.write(async (tx) => {
      await tx.run('UPDATE item SET amount = 2');
      const reads = Array.from({ length: 5 }, () => amounts(database));
      assert.deepEqual(await Promise.all(reads), Array(5).fill({ a: 1 }));
    });
    assert.deepEqual(await amounts(database), { a: 2 });
  });

  test('many reads at once, each in several steps, all see one moment', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'a', 100);
    await addItem(database, 'b', 0);
    const move = (n: number) =>
      database.write(async (tx) => {
        await tx.run(`UPDATE item SET amount = amount - ? WHERE id = 'a'`, n);
        await tx.run(`UPDATE item SET amount = amount + ? WHERE id = 'b'`, n);
      });
    const total = () =>
      database.read(async (tx) => {
        const a = await tx.first(`SELECT amount FROM item WHERE id = 'a'`);
        const b = await tx.first(`SELECT amount FROM item WHERE id = 'b'`);
        return Number(a?.amount) + Number(b?.amount);
      });
    const [totals] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, total)),
      Promise.all(Array.from({ length: 20 }, (_, n) => move(n % 5))),
    ]);
    assert.deepEqual(totals, Array(40).fill(100));
  });
}

function increment(database: Database, meet: () => Promise<void>): Promise<number> {
  return database.write(async (tx) => {
    const row = await tx.first(`SELECT amount FROM item WHERE id = 'counter'`);
    await meet();
    return tx.run(`UPDATE item SET amount = ? WHERE id = 'counter'`, Number(row?.amount) + 1);
  });
}
