import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decideLine } from '../../../src/engine/conditions/line.ts';
import { readLines } from '../../../src/engine/conditions/settle-line.ts';
import {
  createEngine,
  type Database,
  type Engine,
  isEngineError,
  type Lease,
  openPostgresDatabase,
  requireLease,
} from '../../../src/engine/index.ts';
import { held, kindsForTests, patient } from '../../../src/engine/testing/rig.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';

let postgres: RealPostgres;

before(async () => {
  postgres = await startPostgres({ settings: { fsync: 'off', max_connections: 120 } });
});

after(() => postgres.stop());

/** Numbers that look random and come again with the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const machineIds = ['a', 'b', 'c', 'd', 'e', 'f'];
const kinds = ['firmwareInstall', 'powerCycleHard', 'biosControl', 'inventoryOOB', 'sensorRead', 'catalogueLookup'];
const shared = new Set(['inventoryOOB', 'sensorRead']);

/** What several processes do at once to a few devices, and what must be true of it. */
class Crowd {
  readonly engines: readonly Engine[];
  readonly #random = createRandom(7);
  /** Who works on what now, as the workers themselves see it. */
  readonly #busy = new Map<string, Set<Lease>>();
  readonly #tokens = new Map<string, number>();

  constructor(engines: readonly Engine[]) {
    this.engines = engines;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  put(id: string, bmcId: string): Promise<unknown> {
    const place = { facility: 'fc1', manufacturer: 'Dell', model: this.pick(['R750', 'R760']), hold: undefined };
    return this.pick(this.engines)
      .machines.put({ id, bmcId, ...place }, [])
      .catch(expected('machineBusy'));
  }

  async act(): Promise<void> {
    const engine = this.pick(this.engines);
    const id = this.pick(machineIds);
    const dice = this.#random();
    if (dice < 0.35) {
      const orders = [{ kind: this.pick(kinds), parameters: {}, priority: this.pick([0, 0, 1, 2]) }];
      await engine.create({ target: `server/${id}`, client: 'crowd', orders });
    } else if (dice < 0.5)
      await engine.machines.setHold(id, this.pick([undefined, { code: 'HostInUse', message: 'x' }]));
    else if (dice < 0.55) await this.put(id, this.pick(['bmc-1', 'bmc-2', 'bmc-3']));
    else if (dice < 0.65) await this.#touchOne(engine, id);
    else if (dice < 0.7) await engine.sweep();
    else await this.work(engine);
  }

  async #touchOne(engine: Engine, id: string): Promise<void> {
    const { conditions } = await engine.list({ target: `server/${id}`, states: ['pending'] });
    const [one] = conditions;
    if (one === undefined) return;
    if (this.#random() < 0.5) await engine.cancel(one.id, { client: 'crowd', isForced: false, doesInsist: false });
    else
      await engine.change(one.id, { lock: one.lock, priority: this.pick([0, 1, 2]) }).catch(expected('illegalChange'));
  }

  async work(engine: Engine): Promise<void> {
    const leases = await engine.worker.lease('w', { max: 3, waitMs: 0 });
    for (const lease of leases) this.#begin(lease);
    for (const lease of leases) {
      await engine.worker.report(held(lease), { status: { at: 1 } });
      this.#end(lease);
      if (this.#random() < 0.2) await engine.worker.release(held(lease), 'for now');
      else await engine.worker.report(held(lease), { state: this.pick(['succeeded', 'failed']) });
    }
  }

  #begin(lease: Lease): void {
    const { lockKey, kind } = lease.condition;
    assert.ok(lease.token > (this.#tokens.get(lease.condition.id) ?? 0), 'a token did not grow');
    this.#tokens.set(lease.condition.id, lease.token);
    const busy = this.#busy.get(lockKey) ?? new Set();
    this.#busy.set(lockKey, busy);
    if (kind === 'catalogueLookup') return;
    for (const other of busy) {
      const isFine = shared.has(kind) && shared.has(other.condition.kind);
      assert.ok(isFine, `${kind} and ${other.condition.kind} are both active on ${lockKey}`);
    }
    busy.add(lease);
  }

  #end(lease: Lease): void {
    this.#busy.get(lease.condition.lockKey)?.delete(lease);
  }
}

function expected(code: Parameters<typeof isEngineError>[1]) {
  return (error: unknown): void => {
    if (!isEngineError(error, ...(code === undefined ? [] : [code]))) throw error;
  };
}

/** What is written of every line is what a look at the whole line says: nobody waits for a turn that never comes. */
async function checkLines(database: Database): Promise<void> {
  await database.read(async (tx) => {
    const keys = await tx.all(`SELECT DISTINCT lock_key FROM conditions WHERE finalized_at IS NULL`);
    for (const key of keys) {
      const line = (await readLines(tx, [String(key.lock_key)])).get(String(key.lock_key)) ?? [];
      const standings = new Map(decideLine(line).map((one) => [one.id, one.isReady]));
      for (const one of line) {
        if (!one.isActive) assert.equal(one.wasReady, standings.get(one.id), `${one.kind} on ${key.lock_key}`);
      }
    }
  });
}

test('a lease that somebody writes under is not taken away before that is stored, and a report joins no old snapshot', async () => {
  const url = await postgres.createDatabase('joined');
  // What stands still here on purpose is not to be taken for a process that hangs.
  const database = await openPostgresDatabase({ url, clock: systemClock, stalledMs: 600_000 });
  const engine = await createEngine({ database, clock: systemClock, kinds: kindsForTests.map(patient) });
  await engine.worker.online({ id: 'w', kinds, facilities: ['fc1'] });
  await engine.create({ target: 'model/x', client: 'c', orders: [{ kind: 'firmwareInstall', parameters: {} }] });
  const [lease = assert.fail()] = await engine.worker.lease('w', { max: 1, waitMs: 0 });
  const join = database.write((tx) => engine.joinReport(tx, held(lease), { state: 'succeeded' }));
  await assert.rejects(join, /row-locks/);
  const [isIn, isStored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writing = database.write(async (tx) => {
    await requireLease(tx, held(lease));
    isIn.resolve();
    await isStored.promise;
  });
  await isIn.promise;
  const by = { client: 'ops', isForced: true, doesInsist: false };
  let isCancelled = false;
  const cancelling = engine.cancel(lease.condition.id, by).then(() => {
    isCancelled = true;
  });
  // Long enough for a cancel that nothing holds up.
  for (let n = 0; n < 50; n++) await database.read((tx) => tx.first('SELECT 1 AS one'));
  assert.equal(isCancelled, false);
  isStored.resolve();
  await Promise.all([writing, cancelling]);
  await engine.close();
  await database.close();
});

test('whatever four processes do at once to a few devices, work never overlaps and nobody is forgotten in a line', async () => {
  const stores = await Promise.all(
    Array.from({ length: 4 }, () => openPostgresDatabase({ url: postgres.url, clock: systemClock, poolSize: 8 })),
  );
  const engines = await Promise.all(
    stores.map((database) => createEngine({ database, clock: systemClock, kinds: kindsForTests.map(patient) })),
  );
  const [engine, database] = [engines[0] ?? assert.fail(), stores[0] ?? assert.fail()];
  const crowd = new Crowd(engines);
  for (const [index, id] of machineIds.entries()) await crowd.put(id, `bmc-${1 + (index % 3)}`);
  await engine.worker.online({ id: 'w', kinds, facilities: ['fc1'] });
  for (let round = 0; round < 5; round++) {
    const actor = async (): Promise<void> => {
      for (let n = 0; n < 15; n++) await crowd.act();
    };
    await Promise.all(Array.from({ length: 8 }, actor));
    await checkLines(database);
  }
  for (const id of machineIds) await engine.machines.setHold(id, undefined);
  for (let round = 0; round < 100; round++) {
    const { conditions } = await engine.list({ states: ['pending', 'active'] });
    if (conditions.length === 0) break;
    await crowd.work(engine);
    assert.ok(round < 99, `${conditions.length} did not come to an end`);
  }
  for (const store of stores)
    assert.ok(store.counts.retries < 100, `${store.counts.retries} transactions were run again`);
  for (const one of engines) await one.close();
  for (const store of stores) await store.close();
});
