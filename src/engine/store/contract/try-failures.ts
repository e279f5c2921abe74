import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { type Transaction, UniqueViolation } from '../database.ts';
import { createFaultInjector } from '../faults.ts';
import { addItem, amounts, type ContractTarget, emptyDatabase, isStoreError, itemDatabase, write } from './fixture.ts';

/** What fails leaves nothing behind; what the database asks for is run again. */
export function tryFailures(target: ContractTarget): void {
  tryRollback(target);
  tryRetries(target);
  tryEnds(target);
}

function tryRollback(target: ContractTarget): void {
  test('work that throws leaves nothing behind, takes nobody with it, and its error comes out as it is', async (t) => {
    const database = await itemDatabase(t, target);
    const mine = new Error('changed my mind');
    const ends = await Promise.allSettled([
      addItem(database, 'a', 1),
      database.write(async (tx) => {
        await tx.run(`INSERT INTO item (id, amount) VALUES ('b', 1)`);
        throw mine;
      }),
      addItem(database, 'c', 1),
    ]);
    assert.deepEqual(
      ends.map((end) => end.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(ends[1]?.status === 'rejected' && ends[1].reason, mine);
    assert.deepEqual(await amounts(database), { a: 1, c: 1 });
  });

  test('after a failed statement nothing is stored, even when the error is caught', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'a', 1);
    const write = database.write(async (tx) => {
      await tx.run(`INSERT INTO item (id, amount) VALUES ('b', 1)`);
      await assert.rejects(tx.run(`INSERT INTO item (id, amount) VALUES ('a', 1)`), UniqueViolation);
      await assert.rejects(tx.run(`INSERT INTO item (id, amount) VALUES ('c', 1)`), isStoreError('ended'));
    });
    await assert.rejects(write, UniqueViolation);
    assert.deepEqual(await amounts(database), { a: 1 });
  });

  test('what the work makes of a failed statement is what its caller gets', async (t) => {
    const database = await itemDatabase(t, target);
    await addItem(database, 'a', 1);
    const mine = new Error('there is one already');
    const write = database.write(async (tx) => {
      await tx.run(`INSERT INTO item (id, amount) VALUES ('a', 1)`).catch((cause: unknown) => {
        throw cause instanceof UniqueViolation ? mine : cause;
      });
    });
    await assert.rejects(write, mine);
  });

  test('a read cannot write', async (t) => {
    const database = await itemDatabase(t, target);
    await assert.rejects(
      database.read((tx) => tx.run(`INSERT INTO item (id, amount) VALUES ('a', 1)`)),
      isStoreError('readOnly'),
    );
    assert.deepEqual(await amounts(database), {});
  });
}

function tryRetries(target: ContractTarget): void {
  for (const [point, code] of [
    ['statement', '40001'],
    ['statement', '40P01'],
    ['commit', '40001'],
  ] as const)
    test(`work is run again from the start when a ${point} fails with ${code}`, async (t) => {
      const faults = createFaultInjector();
      const database = await itemDatabase(t, target, { faults });
      faults.plan({ point, code, nth: point === 'statement' ? 2 : 1 });
      let runs = 0;
      const result = await database.write(async (tx) => {
        runs += 1;
        await tx.run('INSERT INTO item (id, amount) VALUES (?, ?)', `run-${runs}`, runs);
        await tx.run('INSERT INTO item (id, amount) VALUES (?, ?)', `also-${runs}`, runs);
        return runs;
      });
      assert.equal(result, 2);
      assert.equal(faults.injected, 1);
      assert.equal(database.counts.retries, 1);
      assert.deepEqual(await amounts(database), { 'also-2': 2, 'run-2': 2 });
    });

  test('work that hides the failure behind an error of its own is run again all the same', async (t) => {
    const faults = createFaultInjector();
    const database = await itemDatabase(t, target, { faults });
    faults.plan({ point: 'statement', nth: 1 });
    await database.write(async (tx) => {
      await tx.run(`INSERT INTO item (id, amount) VALUES ('a', 1)`).catch(() => {
        throw new Error('the item could not be added');
      });
    });
    assert.deepEqual(await amounts(database), { a: 1 });
  });

  test('work that has to be run again and again is given up with a word for it', async (t) => {
    const faults = createFaultInjector();
    const instant = { ...systemClock, after: (_: number, callback: () => void) => systemClock.after(0, callback) };
    const database = await itemDatabase(t, target, { faults, clock: instant });
    for (let nth = 1; nth <= 100; nth++) faults.plan({ point: 'commit', nth });
    await assert.rejects(addItem(database, 'a', 1), isStoreError('contention'));
    assert.equal(faults.injected, 20);
  });
}

function tryEnds(target: ContractTarget): void {
  test('a transaction cannot be used after its end', async (t) => {
    const database = await itemDatabase(t, target);
    const kept: Transaction[] = [];
    await database.write(async (tx) => void kept.push(tx));
    await database.read(async (tx) => void kept.push(tx));
    for (const tx of kept) await assert.rejects(tx.all('SELECT 1 AS one'), isStoreError('ended'));
  });

  test('closing lets begun work end, and then nothing is taken any more', async (t) => {
    const database = await itemDatabase(t, target);
    const writes = Array.from({ length: 10 }, (_, n) => addItem(database, `i${n}`, n));
    const read = amounts(database);
    const closed = database.close();
    assert.deepEqual(await Promise.all(writes), Array(10).fill(1));
    await read;
    await closed;
    await database.close();
    await assert.rejects(addItem(database, 'late', 1), isStoreError('closed'));
    await assert.rejects(amounts(database), isStoreError('closed'));
  });

  test('statements that make no sense are refused, and the database stays usable', async (t) => {
    const database = await itemDatabase(t, target);
    await assert.rejects(write(database, 'SELEC 1'), isStoreError('badStatement'));
    await assert.rejects(write(database, 'UPDATE nothing_there SET a = 1'), isStoreError('badStatement'));
    await assert.rejects(write(database, 'DELETE FROM item; DELETE FROM item'), isStoreError('badStatement'));
    await assert.rejects(write(database, 'DELETE FROM item WHERE id = ?'), isStoreError('badStatement'));
    await assert.rejects(write(database, 'DELETE FROM item WHERE id = ?', 'a', 'b'), isStoreError('badStatement'));
    assert.equal(await addItem(database, 'a', 1), 1);
  });

  test('transactions, statements and retries are counted', async (t) => {
    const database = await emptyDatabase(t, target);
    const before = database.counts;
    await database.read(async (tx) => {
      await tx.first('SELECT 1 AS one');
      await tx.first('SELECT 1 AS one');
    });
    await database.write((tx) => tx.first('SELECT 1 AS one'));
    const { statements, transactions, retries } = database.counts;
    assert.deepEqual(
      [statements - before.statements, transactions - before.transactions, retries - before.retries],
      [3, 2, 0],
    );
  });
}
