import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KindDefinition } from '../kinds.ts';
import { held, kindsForTests, type Rig, setUpEngine } from '../testing/rig.ts';
import { rereadClient } from './rereads.ts';

const isDone = ({ inventory_read_at: at }: { readonly [name: string]: unknown }) => typeof at === 'number';
const settlesAt = ({ settles_at: at }: { readonly [name: string]: unknown }) =>
  typeof at === 'number' ? at : undefined;
const reread = { kind: 'inventoryOOB', isDone, settlesAt };
const parameters = { is_deep: true };
const kinds: readonly KindDefinition[] = kindsForTests.map((one) => {
  if (one.kind === 'biosControl') return { ...one, reread: { kind: 'inventoryOOB', parameters } };
  return one.kind === 'firmwareInstall' ? { ...one, deadlineMs: 600_000, reread } : one;
});
const target = 'server/m0';

async function setUp(t: TestContext): Promise<Rig> {
  const rig = await setUpEngine(t, { kinds });
  await rig.addMachine('m0');
  await rig.online('w1');
  return rig;
}

async function readings(rig: Rig) {
  const { conditions } = await rig.engine.list({ target, kind: 'inventoryOOB', limit: 100 });
  return conditions;
}

async function begin(rig: Rig) {
  const install = await rig.create(target, 'firmwareInstall');
  return { install, lease: await rig.leaseOne('w1') };
}

/** Everything that ends work on a machine. */
const ends: Readonly<Record<string, (rig: Rig) => Promise<void>>> = {
  'a success': async (rig) => {
    const { lease } = await begin(rig);
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
  },
  'a failure': async (rig) => {
    const { lease } = await begin(rig);
    await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'X', message: 'x' } });
  },
  'a cancel that cuts it off': async (rig) => {
    const { install } = await begin(rig);
    await rig.engine.cancel(install.id, { client: 'me', isForced: true, doesInsist: false });
  },
  'its deadline': async (rig) => {
    const { lease } = await begin(rig);
    await rig.engine.worker.release(held(lease), 'stopping', {});
    rig.clock.advance(3_600_000);
    await rig.engine.sweep();
  },
  'the loss of one worker after the other': async (rig) => {
    await begin(rig);
    for (let lost = 1; lost <= 3; lost += 1) {
      rig.clock.advance(60_000);
      await rig.engine.sweep();
      if (lost < 3) await rig.leaseOne('w1');
    }
  },
};

for (const [what, end] of Object.entries(ends)) {
  test(`after ${what} the machine is outdated and one reading of it is asked for`, async (t) => {
    const rig = await setUp(t);
    await end(rig);
    const [install] = (await rig.engine.list({ target, kind: 'firmwareInstall', limit: 1 })).conditions;
    assert.ok(install?.finalizedAt !== undefined, JSON.stringify(install));
    const outdated = await rig.engine.outdated('m0');
    assert.deepEqual([outdated?.conditionId, outdated?.since], [install.id, install.finalizedAt]);
    // A process that dies here has asked for nothing: the next sweep, of whatever process, does.
    const other = await rig.another();
    await other.sweep();
    await rig.engine.sweep();
    const [reading, ...more] = await readings(rig);
    assert.deepEqual([reading?.state, reading?.client, more.length], ['pending', rereadClient, 0]);
    await rig.online('w2', { kinds: ['inventoryOOB'] });
    rig.clock.advance(5000);
    const lease = await rig.leaseOne('w2');
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    assert.equal(await rig.engine.outdated('m0'), undefined);
    await rig.engine.sweep();
    assert.equal((await readings(rig)).length, 1);
  });
}

test('work that nobody began, and work that has read its machine, leave nothing outdated', async (t) => {
  const rig = await setUp(t);
  const waiting = await rig.create(target, 'firmwareInstall');
  await rig.engine.cancel(waiting.id, { client: 'me', isForced: false, doesInsist: false });
  assert.equal(await rig.engine.outdated('m0'), undefined);
  const { lease } = await begin(rig);
  await rig.engine.worker.report(held(lease), { state: 'succeeded', status: { inventory_read_at: 1 } });
  assert.equal(await rig.engine.outdated('m0'), undefined);
});

test('a reading that fails or is cancelled is asked for again, after a growing wait, until one succeeds', async (t) => {
  const rig = await setUp(t);
  const { lease } = await begin(rig);
  await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'X', message: 'x' } });
  for (const waitMs of [60_000, 120_000, 240_000]) {
    await rig.engine.sweep();
    const reading = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(reading), { state: 'failed', reason: { code: 'X', message: 'x' } });
    rig.clock.advance(waitMs - 1);
    await rig.engine.sweep();
    await rig.online('w1');
    assert.ok((await readings(rig)).every(({ state }) => state === 'failed'));
    rig.clock.advance(1);
  }
  await rig.engine.sweep();
  const [waiting] = await readings(rig);
  assert.ok(waiting?.state === 'pending');
  await rig.engine.cancel(waiting.id, { client: 'me', isForced: false, doesInsist: false });
  assert.equal((await rig.engine.outdated('m0'))?.failures, 4);
});

test('a scan that an operator asked for during the work is of its own fate, and is the reading after it', async (t) => {
  const rig = await setUp(t);
  const { lease } = await begin(rig);
  const scan = await rig.create(target, 'inventoryOOB');
  assert.equal(scan.unit, scan.id);
  await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'X', message: 'x' } });
  await rig.engine.sweep();
  assert.deepEqual(
    (await readings(rig)).map(({ id, state }) => [id, state]),
    [[scan.id, 'pending']],
  );
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.equal(await rig.engine.outdated('m0'), undefined);
});

test('a machine that was left in the middle of a write is read at once, and once more when that must be over', async (t) => {
  const rig = await setUp(t);
  const { install, lease } = await begin(rig);
  await rig.engine.worker.report(held(lease), { isCancelUnsafe: true });
  await rig.engine.cancel(install.id, { client: 'me', isForced: true, doesInsist: true });
  await rig.engine.sweep();
  rig.clock.advance(5000);
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.ok((await rig.engine.outdated('m0')) !== undefined, 'the device may write on');
  rig.clock.advance(30 * 60_000);
  await rig.engine.sweep();
  await rig.online('w1');
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.equal(await rig.engine.outdated('m0'), undefined);
});

test('a machine whose worker says until when it may be written to is read at once, and once more after that', async (t) => {
  const rig = await setUp(t);
  const { lease } = await begin(rig);
  const status = { settles_at: rig.clock.now() + 3_600_000, inventory_read_at: 1 };
  await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'X', message: 'x' }, status });
  await rig.engine.sweep();
  rig.clock.advance(5000);
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.ok((await rig.engine.outdated('m0')) !== undefined, 'the device may write on');
  rig.clock.advance(3_600_000);
  await rig.engine.sweep();
  await rig.online('w1');
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.equal(await rig.engine.outdated('m0'), undefined);
});

test('later work on a machine that may still be written to does not bring its last reading forward', async (t) => {
  const rig = await setUp(t);
  const { lease } = await begin(rig);
  const settlesAt = rig.clock.now() + 1_800_000;
  const reason = { code: 'X', message: 'x' };
  await rig.engine.worker.report(held(lease), { state: 'failed', reason, status: { settles_at: settlesAt } });
  const later = await begin(rig);
  await rig.engine.worker.report(held(later.lease), { state: 'failed', reason });
  await rig.engine.sweep();
  rig.clock.advance(5000);
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
  assert.ok((await rig.engine.outdated('m0')) !== undefined, 'the device may write on');
});

for (const order of [['biosControl'], ['biosControl', 'firmwareInstall'], ['firmwareInstall', 'biosControl']]) {
  test(`after ${order.join(' and ')} a machine is read with what the work asks for, and no lesser scan is as good`, async (t) => {
    const rig = await setUp(t);
    for (const kind of order) {
      await rig.create(target, kind);
      const reason = { code: 'X', message: 'x' };
      await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'failed', reason });
    }
    await rig.create(target, 'inventoryOOB');
    await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'succeeded' });
    assert.ok((await rig.engine.outdated('m0')) !== undefined, 'the scan that was asked for read less');
    await rig.engine.sweep();
    const reading = await rig.leaseOne('w1');
    assert.deepEqual([reading.condition.client, reading.condition.parameters], [rereadClient, parameters]);
    await rig.engine.worker.report(held(reading), { state: 'succeeded' });
    assert.equal(await rig.engine.outdated('m0'), undefined);
    // What was asked for is over: the next work is followed by a plain reading.
    const { lease } = await begin(rig);
    await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'X', message: 'x' } });
    await rig.engine.sweep();
    assert.deepEqual((await rig.leaseOne('w1')).condition.parameters, {});
  });
}
