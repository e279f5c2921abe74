import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { BmcIdentity } from '../../bmc/index.ts';
import type { Lease } from '../worker/worker-port.ts';
import { held, type Rig } from './rig.ts';

const uuid = '0a1b2c3d-1111-4222-8333-444455556666';
const swapped = '3d2c1b0a-1111-2242-8333-444455556666';
const elsewhere = '99999999-1111-4222-8333-444455556666';

/** For tests: what a BMC of one system says of itself. */
export function bmcOf(system: { uuid?: string; serial?: string }, more: Partial<BmcIdentity> = {}): BmcIdentity {
  return { system, systems: [system], ...more };
}

/** Two records with a BMC each, as far as anybody knows. */
async function enrolTwo(rig: Rig): Promise<Rig> {
  for (const id of ['a', 'b']) await rig.addMachine(id);
  await rig.online('w1');
  return rig;
}

const identify = (rig: Rig, lease: Lease, bmc: BmcIdentity) => rig.engine.worker.report(held(lease), { bmc });

/** For tests: what is true of machines that share a BMC, on every store. */
export function trySharedBmc(setUp: (t: TestContext) => Promise<Rig>): void {
  describe('two records whose BMC turns out to be one', () => {
    test('share a lock from then on: the second that asks gives its lease back and waits for the first', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      await rig.create('server/a', 'firmwareInstall');
      await rig.create('server/b', 'firmwareInstall');
      const [one, two] = await rig.lease('w1');
      assert.ok(one && two);
      assert.equal((await identify(rig, one, bmcOf({ uuid, serial: 'S1' }))).outcome, 'kept');
      const outcome = await identify(rig, two, bmcOf({ uuid: swapped, serial: 's1' }));
      assert.equal(outcome.outcome, 'lost');
      assert.match(outcome.outcome === 'lost' ? outcome.why : '', /server\/b has the same BMC as server\/a/);
      await assert.rejects(rig.engine.worker.check(held(two)), { code: 'leaseLost' });
      const waiting = await rig.get(two.condition.id);
      assert.deepEqual([waiting.state, waiting.reason?.code], ['pending', 'WaitsForLock']);
      assert.match(waiting.reason?.message ?? '', /server\/a has the same BMC/);
      await rig.create('server/b', 'powerCycleHard');
      assert.deepEqual(await rig.lease('w1'), []);
      assert.equal((await identify(rig, one, bmcOf({ uuid, serial: 'S1' }))).outcome, 'kept');
      await rig.engine.worker.report(held(one), { state: 'succeeded' });
      const again = await rig.leaseOne('w1');
      assert.equal(again.condition.id, two.condition.id);
      assert.equal((await identify(rig, again, bmcOf({ uuid, serial: 'S1' }))).outcome, 'kept');
      assert.deepEqual(await rig.lease('w1'), []);
    });

    test('are reported as duplicates of each other, on both and as events', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      for (const id of ['a', 'b']) {
        await rig.create(`server/${id}`, 'firmwareInstall');
        const lease = await rig.leaseOne('w1');
        await identify(rig, lease, bmcOf({ uuid }));
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
      const duplicates = await rig.engine.machines.duplicatesOf(['a', 'b']);
      assert.deepEqual(
        [...duplicates],
        [
          ['a', ['b']],
          ['b', ['a']],
        ],
      );
      const events = (await rig.engine.eventsAfter(0, 100)).filter(({ event }) => event === 'duplicate-machine');
      assert.deepEqual(events.map(({ target }) => target).sort(), ['server/a', 'server/b']);
      await rig.engine.machines.remove('b');
      assert.deepEqual([...(await rig.engine.machines.duplicatesOf(['a']))], []);
    });

    test('never both work when both find out at the same moment', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      await rig.create('server/a', 'firmwareInstall');
      await rig.create('server/b', 'powerCycleHard');
      const leases = await rig.lease('w1');
      const outcomes = await Promise.all(leases.map((lease) => identify(rig, lease, bmcOf({ uuid }))));
      assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['kept', 'lost']);
    });

    test('wait for the last request of a worker that was lost on the other, and are told whose session to end', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      const install = await rig.create('server/a', 'firmwareInstall');
      const lost = await rig.leaseOne('w1');
      await identify(rig, lost, bmcOf({ uuid }));
      await rig.engine.worker.report(held(lost), { sessionUri: '/sessions/1' });
      await rig.engine.worker.online({ id: 'w1', kinds: ['firmwareInstall', 'powerCycleHard'], facilities: ['fc1'] });
      await rig.engine.cancel(install.id, { client: 'ops', isForced: false, doesInsist: false });
      await rig.create('server/b', 'powerCycleHard');
      const lease = await rig.leaseOne('w1');
      assert.deepEqual(lease.leftovers, []);
      assert.equal((await identify(rig, lease, bmcOf({ uuid }))).outcome, 'lost');
      assert.deepEqual(await rig.lease('w1'), []);
      rig.clock.advance(5000);
      const next = await rig.leaseOne('w1');
      assert.deepEqual(
        next.leftovers.map(({ sessionUri }) => sessionUri),
        ['/sessions/1'],
      );
      assert.equal((await identify(rig, next, bmcOf({ uuid }))).outcome, 'kept');
    });

    test('have a lock each again once one is given another address', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      const { machines } = rig.engine;
      const record = await machines.get('b');
      assert.ok(record);
      const put = (value: string) => machines.put(record, [{ kind: 'bmc-address', value }]);
      await put('https://10.0.0.1');
      for (const id of ['a', 'b']) {
        await rig.create(`server/${id}`, 'firmwareInstall');
        const lease = await rig.leaseOne('w1');
        await identify(rig, lease, bmcOf({ uuid }));
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
      await put('https://10.0.0.2');
      assert.deepEqual([...(await machines.duplicatesOf(['a', 'b']))], []);
      await rig.create('server/a', 'firmwareInstall');
      await rig.create('server/b', 'firmwareInstall');
      const leases = await rig.lease('w1');
      assert.equal(leases.length, 2);
      const [one, two] = leases;
      assert.ok(one && two);
      assert.equal((await identify(rig, one, bmcOf({ uuid }))).outcome, 'kept');
      assert.equal((await identify(rig, two, bmcOf({ uuid: elsewhere }))).outcome, 'kept');
    });

    test('have a lock each again once the BMC of one is another', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      for (const [index, one] of [uuid, uuid, elsewhere].entries()) {
        await rig.create(index === 0 ? 'server/a' : 'server/b', 'firmwareInstall');
        const lease = await rig.leaseOne('w1');
        await identify(rig, lease, bmcOf({ uuid: one }));
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
      await rig.create('server/a', 'firmwareInstall');
      await rig.create('server/b', 'firmwareInstall');
      assert.equal((await rig.lease('w1')).length, 2);
    });

    test('share a lock with what is enrolled later under the id of one of their BMCs', async (t) => {
      const rig = await enrolTwo(await setUp(t));
      for (const id of ['a', 'b']) {
        await rig.create(`server/${id}`, 'firmwareInstall');
        const lease = await rig.leaseOne('w1');
        await identify(rig, lease, bmcOf({ uuid }));
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
      await rig.addMachine('c', { bmcId: 'bmc-b' });
      await rig.create('server/a', 'firmwareInstall');
      await rig.create('server/c', 'firmwareInstall');
      assert.equal((await rig.lease('w1')).length, 1);
    });
  });

  test('the nodes of an enclosure share the lock of its BMC and are no duplicates', async (t) => {
    const rig = await enrolTwo(await setUp(t));
    const nodes = [
      { uuid, serial: 'N1' },
      { uuid: elsewhere, serial: 'N2' },
    ];
    for (const [index, id] of ['a', 'b'].entries()) {
      await rig.create(`server/${id}`, 'firmwareInstall');
      const lease = await rig.leaseOne('w1');
      await identify(rig, lease, { system: nodes[index] ?? {}, systems: nodes });
      await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    }
    await rig.create('server/a', 'firmwareInstall');
    await rig.create('server/b', 'powerCycleHard');
    assert.equal((await rig.lease('w1')).length, 1);
    assert.deepEqual([...(await rig.engine.machines.duplicatesOf(['a', 'b']))], []);
  });

  test('a BMC that tells nothing of itself keeps the lock of its record, and what it told before stays known', async (t) => {
    const rig = await enrolTwo(await setUp(t));
    await rig.create('server/a', 'firmwareInstall');
    const one = await rig.leaseOne('w1');
    assert.equal((await identify(rig, one, { systems: [] })).outcome, 'kept');
    await identify(rig, one, bmcOf({ uuid }));
    await identify(rig, one, { systems: [] });
    await rig.create('server/b', 'firmwareInstall');
    const two = await rig.leaseOne('w1');
    assert.equal((await identify(rig, two, bmcOf({ uuid }))).outcome, 'lost');
  });

  test('reading waits for what writes, and reads beside what reads', async (t) => {
    const rig = await enrolTwo(await setUp(t));
    await rig.create('server/a', 'inventoryOOB');
    await rig.create('server/b', 'inventoryOOB');
    const leases = await rig.lease('w1');
    for (const lease of leases) assert.equal((await identify(rig, lease, bmcOf({ uuid }))).outcome, 'kept');
    await rig.create('server/b', 'firmwareInstall');
    assert.deepEqual(await rig.lease('w1'), []);
    for (const lease of leases) await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    await rig.leaseOne('w1');
    await rig.create('server/a', 'inventoryOOB');
    assert.deepEqual(await rig.lease('w1'), []);
  });

  test('a cancel that waits ends work that has to give its lease back', async (t) => {
    const rig = await enrolTwo(await setUp(t));
    await rig.create('server/a', 'firmwareInstall');
    await identify(rig, await rig.leaseOne('w1'), bmcOf({ uuid }));
    const { id } = await rig.create('server/b', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
    assert.equal((await identify(rig, lease, bmcOf({ uuid }))).outcome, 'lost');
    assert.equal((await rig.get(id)).reason?.code, 'Cancelled');
  });
}
