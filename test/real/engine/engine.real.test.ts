import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fc } from '#fast-check';
import {
  createEngine,
  createFaultInjector,
  createWorker,
  type Database,
  type Engine,
  type Lease,
  openPostgresDatabase,
} from '../../../src/engine/index.ts';
import { kindsForTests, onFakeTime, patient } from '../../../src/engine/testing/rig.ts';
import { steps, walk } from '../../../src/engine/testing/walk.ts';
import { createFakeClock, systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';

let postgres: RealPostgres;
let databases = 0;

before(async () => {
  postgres = await startPostgres({ settings: { fsync: 'off', max_connections: 120 } });
});

after(() => postgres.stop());

function newDatabase(): Promise<string> {
  databases += 1;
  return postgres.createDatabase(`engine_${databases}`);
}

/** Engines as separate processes have them: each with connections of its own. */
async function openEngines(many: number): Promise<{ engines: Engine[]; stores: Database[]; close(): Promise<void> }> {
  const url = await newDatabase();
  const stores = await Promise.all(
    Array.from({ length: many }, () => openPostgresDatabase({ url, clock: systemClock, poolSize: 8 })),
  );
  // All at once, so that they also make the tables at once.
  const engines = await Promise.all(
    stores.map((database) => createEngine({ database, clock: systemClock, kinds: kindsForTests.map(patient) })),
  );
  const close = async (): Promise<void> => {
    for (const engine of engines) await engine.close();
    for (const store of stores) await store.close();
  };
  return { engines, stores, close };
}

async function enrol(engine: Engine, many: number): Promise<void> {
  for (let index = 0; index < many; index++) {
    const place = { facility: 'fc1', bmcId: `bmc-${index}`, manufacturer: 'Dell', model: 'R750', hold: undefined };
    assert.equal(
      await engine.machines.put({ id: `m${index}`, ...place }, [{ kind: 'serial', value: `${index}` }]),
      'ok',
    );
  }
}

const held = (lease: Lease) => ({ conditionId: lease.condition.id, token: lease.token });

test('on PostgreSQL the promises hold too, whatever workers, callers, clocks and sweeps do', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const clock = createFakeClock();
      const real = await openPostgresDatabase({ url: await newDatabase(), clock: systemClock });
      try {
        await walk(taken, { database: onFakeTime(real, clock), clock });
      } finally {
        await real.close();
      }
    }),
    { numRuns: 10 },
  );
});

test('serialization failures and lost connections at any statement or commit change nothing of what happens', async () => {
  const faults = createFaultInjector();
  const database = await openPostgresDatabase({ url: await newDatabase(), clock: systemClock, faults });
  const engine = await createEngine({ database, clock: systemClock, kinds: kindsForTests.map(patient) });
  await enrol(engine, 10);
  for (let n = 1; n <= 40; n++) {
    faults.plan({ point: 'statement', nth: n * 7, code: n % 4 === 0 ? 'lost' : '40001' });
    faults.plan({ point: 'commit', nth: n * 3 });
  }
  await engine.worker.online({ id: 'w', kinds: ['firmwareInstall'], facilities: ['fc1'] });
  for (let n = 0; n < 10; n++) {
    const orders = [{ kind: 'firmwareInstall', parameters: {} }];
    assert.equal((await engine.create({ target: `server/m${n}`, client: 'c', orders })).outcome, 'created');
  }
  const leases = await engine.worker.lease('w', { max: 10, waitMs: 0 });
  assert.equal(leases.length, 10);
  for (const lease of leases) {
    assert.equal((await engine.worker.report(held(lease), { status: { step: 1 } })).outcome, 'kept');
    assert.equal((await engine.worker.report(held(lease), { state: 'succeeded' })).outcome, 'kept');
  }
  assert.ok(faults.injected > 20, `only ${faults.injected} were injected`);
  const events = await engine.eventsAfter(0, 1000);
  for (const event of ['created', 'leased', 'reported', 'finalized']) {
    assert.equal(events.filter((one) => one.event === event).length, 10, event);
  }
  await engine.close();
  await database.close();
});

test('fifty creates at once through four processes create exactly one', async () => {
  const { engines, close } = await openEngines(4);
  const order = { target: 'model/x', client: 'c', orders: [{ kind: 'firmwareInstall', parameters: { a: 1 } }] };
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => engines[index % 4]?.create(order) ?? assert.fail()),
  );
  assert.equal(outcomes.filter((one) => one.outcome === 'created').length, 1);
  assert.equal(outcomes.filter((one) => one.outcome === 'existing').length, 49);
  const changes = await Promise.all(
    engines.map(async (engine, index) => {
      const [current] = (await engine.list({})).conditions;
      return await engine.change(current?.id ?? '', { lock: 'r1', status: { index } });
    }),
  );
  assert.equal(changes.filter((one) => one.outcome === 'changed').length, 1);
  await close();
});

test('eight workers of four processes take everything exactly once, and never two exclusive ones on a device', async () => {
  const { engines, stores, close } = await openEngines(4);
  const [first = assert.fail()] = engines;
  await enrol(first, 60);
  for (let index = 0; index < 60; index++) {
    for (const kind of ['firmwareInstall', 'powerCycleHard', 'inventoryOOB']) {
      await first.create({ target: `server/m${index}`, client: 'c', orders: [{ kind, parameters: {} }] });
    }
  }
  const seen: Lease[] = [];
  const busy = new Map<string, number>();
  const workOn = async (engine: Engine, lease: Lease): Promise<void> => {
    const { lockKey } = lease.condition;
    assert.equal(busy.get(lockKey) ?? 0, 0, `two work on ${lockKey}`);
    busy.set(lockKey, 1);
    seen.push(lease);
    await engine.worker.report(held(lease), { status: { step: 1 } });
    busy.set(lockKey, 0);
    assert.equal((await engine.worker.report(held(lease), { state: 'succeeded' })).outcome, 'kept');
  };
  const work = async (engine: Engine, name: string): Promise<void> => {
    await engine.worker.online({ id: name, kinds: kindsForTests.map((one) => one.kind), facilities: ['fc1'] });
    while (seen.length < 180) {
      const leases = await engine.worker.lease(name, { max: 4, waitMs: 100 });
      await Promise.all(leases.map((lease) => workOn(engine, lease)));
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => work(engines[index % 4] ?? first, `worker-${index}`)));
  assert.equal(new Set(seen.map((one) => one.condition.id)).size, 180);
  for (const ones of Map.groupBy(seen, (one) => one.condition.lockKey).values()) {
    assert.deepEqual(ones.map((one) => one.token).sort(), [1, 2, 3]);
  }
  const events = await first.eventsAfter(0, 10_000);
  assert.deepEqual(
    events.map((one) => one.seq),
    events.map((_, index) => index + 1),
  );
  assert.ok(stores.every((one) => one.counts.retries < 2000));
  await close();
});

test('limits hold over processes, while sweeps and followers run beside', async () => {
  const { engines, close } = await openEngines(3);
  const [first = assert.fail()] = engines;
  for (const engine of engines) engine.setLimits({ active: 5, uploads: 2 });
  await enrol(first, 40);
  let active = 0;
  let uploading = 0;
  let done = 0;
  const workers = engines.map((engine, index) =>
    createWorker({
      port: engine.worker,
      clock: systemClock,
      concurrency: 10,
      identity: { id: `w${index}`, kinds: ['firmwareInstall'], facilities: ['fc1'] },
      handlers: {
        async firmwareInstall(work) {
          active += 1;
          assert.ok(active <= 5, 'more than the limit are active');
          const release = await work.acquireSlot('upload');
          uploading += 1;
          assert.ok(uploading <= 2, 'more than the limit upload');
          await work.report({ status: { step: 'upload' } });
          uploading -= 1;
          await release();
          active -= 1;
          done += 1;
          return { outcome: 'succeeded' };
        },
      },
    }),
  );
  const seen: number[] = [];
  const create = async (): Promise<void> => {
    for (let index = 0; index < 40; index++) {
      const orders = [{ kind: 'firmwareInstall', parameters: {} }];
      await first.create({ target: `server/m${index}`, client: 'c', orders });
    }
  };
  const follow = async (): Promise<void> => {
    while (done < 40) {
      await Promise.all(engines.map((engine) => engine.sweep()));
      seen.push(...(await first.eventsAfter(seen.at(-1) ?? 0, 50)).map((one) => one.seq));
    }
  };
  await Promise.all([create(), follow()]);
  for (const worker of workers) await worker.stop();
  const { conditions } = await first.list({ limit: 100 });
  assert.deepEqual(
    conditions.map((one) => one.state),
    Array(40).fill('succeeded'),
  );
  assert.deepEqual(
    seen,
    seen.map((_, index) => index + 1),
  );
  await close();
});
