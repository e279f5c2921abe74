import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Row, SqlValue, Transaction } from './store/index.ts';
import { held, type Rig, setUpEngine } from './testing/rig.ts';

/** Every statement that goes through a database, with the values it had last. */
function record(database: Database): Map<string, readonly SqlValue[]> {
  const seen = new Map<string, readonly SqlValue[]>();
  const watched = (tx: Transaction): Transaction => {
    const note = <T>(run: (sql: string, ...values: readonly SqlValue[]) => Promise<T>) => {
      return (sql: string, ...values: readonly SqlValue[]): Promise<T> => {
        seen.set(sql, values);
        return run(sql, ...values);
      };
    };
    return {
      now: tx.now,
      all: note((sql, ...values) => tx.all(sql, ...values)),
      first: note((sql, ...values) => tx.first(sql, ...values)),
      run: note((sql, ...values) => tx.run(sql, ...values)),
    };
  };
  const { read, write } = { read: database.read.bind(database), write: database.write.bind(database) };
  Object.assign(database, {
    read: <T>(work: (tx: Transaction) => Promise<T>) => read((tx) => work(watched(tx))),
    write: <T>(work: (tx: Transaction) => Promise<T>) => write((tx) => work(watched(tx))),
  });
  return seen;
}

/** How SQLite would run it, as one line. */
async function planOf(rig: Rig, sql: string, values: readonly SqlValue[]): Promise<string> {
  const rows = await rig.database.write((tx): Promise<Row[]> => tx.all(`EXPLAIN QUERY PLAN ${sql}`, ...values));
  return rows.map((row) => row.detail).join('; ');
}

/** All that happens to conditions while nobody lists them. */
async function live(rig: Rig): Promise<void> {
  const { engine } = rig;
  for (const id of ['m0', 'm1', 'm2']) await rig.addMachine(id);
  await engine.claims.put({ owner: 'o', names: [{ kind: 'serial', value: 'serial-m1' }], use: undefined });
  await engine.claims.markWork({ owner: 'p', names: [{ kind: 'serial', value: 'serial-m9' }], what: 'deploy' });
  await engine.claims.clearWork('p');
  await engine.claims.remove('p');
  const take = async (): Promise<void> => {
    for (const turn of await engine.claims.due()) await engine.claims.done(turn);
  };
  await rig.online('w1');
  const orders = ['firmwareInstall', 'inventoryOOB'].map((kind) => ({ kind, parameters: {} }));
  await engine.create({ target: 'server/m0', client: 'c', orders });
  const doomed = await rig.create('server/m1', 'powerCycleHard', { deadlineMs: 1000 });
  await rig.create('server/m2', 'firmwareInstall');
  await take();
  for (const lease of await rig.lease('w1')) {
    await engine.worker.report(held(lease), { status: { step: 1 }, progress: { step: 1 }, sessionUri: '/s/1' });
    await engine.worker.check(held(lease));
    await engine.worker.acquireSlot('upload', held(lease), new AbortController().signal).then((giveBack) => giveBack());
    if (lease.condition.target === 'server/m0') await engine.worker.report(held(lease), { state: 'succeeded' });
    if (lease.condition.target === 'server/m2') await engine.worker.release(held(lease), 'for now');
  }
  await engine.worker.heartbeat('w1');
  await engine.cancel(doomed.id, { client: 'c', isForced: false, doesInsist: false });
  await engine.machines.setHold('m2', undefined);
  rig.clock.advance(20_000);
  await engine.sweep();
  await engine.get(doomed.id);
  for (const lease of await rig.lease('w1')) await engine.worker.report(held(lease), { state: 'failed' });
  await take();
  await engine.worker.offline('w1');
  await engine.eventsAfter(0, 10);
}

test('no statement that a condition needs on its way goes through a whole table', async (t) => {
  const rig = await setUpEngine(t, { limits: { active: 10, activePerModel: 5, uploads: 2 } });
  // The first sweep of a process also looks whether the clock was set back before.
  await rig.engine.sweep();
  const seen = record(rig.database);
  await live(rig);
  const bad: string[] = [];
  for (const [sql, values] of [...seen]) {
    const plan = await planOf(rig, sql, values);
    // An index of a part of a table may be walked; workers and slots are few.
    const scans = plan
      .split('; ')
      .filter((step) =>
        /^SCAN (conditions|c|events|history|fences|machines|m|claims|o|k|claimed_names|n|aliases|a)\b/.test(step),
      );
    if (
      scans.some(
        (step) =>
          !/USING (COVERING )?INDEX (conditions_(active|pending)|claims_turns)|USING INDEX events_unnumbered/.test(
            step,
          ),
      )
    )
      bad.push(`${plan}: ${sql}`);
  }
  assert.deepEqual(bad, []);
});
