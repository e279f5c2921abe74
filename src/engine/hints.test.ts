import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../kube/index.ts';
import { createLocalBus, createUnreliableBus } from './bus/index.ts';
import { createFaultInjector, openSqliteDatabase } from './store/index.ts';
import { type Rig, setUpEngine } from './testing/rig.ts';
import { createWorker } from './worker/worker.ts';

/** A random number generator that can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Works everything off with two workers on two engines, and moves time along. */
async function workOff(
  rig: Rig,
  options: { readonly conditions: number; readonly another: Rig['engine'] },
): Promise<number> {
  let done = 0;
  const workers = [rig.engine, options.another].map((engine, index) =>
    createWorker({
      port: engine.worker,
      clock: rig.clock,
      concurrency: 3,
      identity: { id: `w${index}`, kinds: ['firmwareInstall'], facilities: ['fc1'] },
      handlers: {
        async firmwareInstall(work) {
          await work.report({ status: { step: 1 } });
          await work.check();
          done += 1;
          return { outcome: 'succeeded' };
        },
      },
    }),
  );
  for (let n = 0; n < options.conditions; n++) await rig.create(`server/m${n}`, 'firmwareInstall');
  for (let round = 0; round < 3000 && done < options.conditions; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (round % 10 === 9) rig.clock.advance(500);
  }
  await Promise.all(workers.map((worker) => worker.stop()));
  return done;
}

for (const faults of [{ dropRate: 1 }, { dropRate: 0.5, doubleRate: 0.5 }, { doubleRate: 1 }]) {
  test(`all work finishes on a bus that loses and doubles (${JSON.stringify(faults)})`, async (t) => {
    const clock = createFakeClock();
    const bus = createUnreliableBus(createLocalBus({ clock }), { ...faults, random: seeded(7), clock });
    const rig = await setUpEngine(t, { bus, clock });
    for (let n = 0; n < 20; n++) await rig.addMachine(`m${n}`);
    assert.equal(await workOff(rig, { conditions: 20, another: await rig.another() }), 20);
    const { conditions } = await rig.engine.list({});
    assert.ok(conditions.every((one) => one.state === 'succeeded' && one.leases === 1));
    await bus.close();
  });
}

test('a bus that hangs or refuses keeps nobody waiting', async (t) => {
  const refuse = () => Promise.reject(new Error('the bus is away'));
  const hang = () => new Promise<never>(() => {});
  for (const answer of [refuse, hang]) {
    const bus = { publish: answer, takeWork: answer, listen: answer, keepAlive: answer, alive: answer };
    const rig = await setUpEngine(t, { bus: { ...bus, isConnected: false, close: async () => {} } });
    await rig.addMachine('m0');
    await rig.online('w1');
    await rig.create('server/m0', 'inventoryOOB');
    assert.equal((await rig.lease('w1')).length, 1);
    await rig.engine.worker.heartbeat('w1');
  }
});

test('a change in one process is heard in another, and a cancel by the worker before its next report', async (t) => {
  const clock = createFakeClock();
  const bus = createLocalBus({ clock });
  const rig = await setUpEngine(t, { bus, clock });
  const second = await rig.another();
  const heard: (string | undefined)[] = [];
  second.onHint((hint) => heard.push(hint.target));
  await rig.addMachine('m0');
  const started = Promise.withResolvers<AbortSignal>();
  const worker = createWorker({
    port: second.worker,
    clock,
    bus,
    concurrency: 1,
    identity: { id: 'w', kinds: ['firmwareInstall'], facilities: ['fc1'] },
    handlers: {
      async firmwareInstall(work) {
        started.resolve(work.ending);
        await work.pause(9000);
        return { outcome: 'succeeded' };
      },
    },
  });
  await worker.online;
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  const ending = await started.promise;
  await rig.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
  if (!ending.aborted) await new Promise((resolve) => ending.addEventListener('abort', resolve));
  await worker.stop();
  assert.equal((await rig.get(id)).reason?.code, 'Cancelled');
  assert.ok(heard.includes('server/m0'));
  await bus.close();
});

test('a database that asks for its transactions again changes nothing of what happens', async (t) => {
  const clock = createFakeClock();
  const faults = createFaultInjector();
  const database = await openSqliteDatabase({ path: ':memory:', clock, faults });
  t.after(() => database.close());
  const rig = await setUpEngine(t, { database, clock, limits: { pending: 50, active: 4 } });
  for (let n = 0; n < 10; n++) await rig.addMachine(`m${n}`);
  const random = seeded(3);
  const another = await rig.another();
  for (let n = 0; n < 60; n++) faults.plan({ point: 'commit', nth: 1 + Math.floor(random() * 60) });
  const done = await workOff(rig, { conditions: 10, another });
  assert.equal(done, 10);
  assert.ok(faults.injected > 20, `only ${faults.injected} were injected`);
  const events = await rig.engine.eventsAfter(0, 1000);
  for (const event of ['created', 'leased', 'finalized']) {
    assert.equal(events.filter((one) => one.event === event).length, 10, event);
  }
});

test('a listener that throws hurts neither who made the change nor the other listeners', async (t) => {
  const rig = await setUpEngine(t);
  const heard: unknown[] = [];
  rig.engine.onHint(() => {
    throw new Error('a mistake');
  });
  rig.engine.onHint((hint) => heard.push(hint.target));
  await rig.create('model/x', 'firmwareInstall');
  assert.deepEqual(heard, ['model/x']);
});
