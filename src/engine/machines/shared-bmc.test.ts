import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressPairs } from '../../bmc/index.ts';
import type { Alias, MachineRecord } from '../machine.ts';
import { held, setUpEngine } from '../testing/rig.ts';

const machine = (id: string, bmcId = id): MachineRecord => ({
  ...{ id, facility: 'fc1', bmcId, manufacturer: 'Dell', model: 'R750', hold: undefined },
});
const at = (value: string): Alias => ({ kind: 'bmc-address', value });

describe('machines whose addresses', () => {
  for (const [one, other, relation] of addressPairs) {
    test(`are ${one} and ${other}: ${relation}`, async (t) => {
      const { engine } = await setUpEngine(t);
      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        assert.equal(await engine.machines.put(machine('a'), [at(first)]), 'ok');
        const outcome = await engine.machines.put(machine('b'), [at(second)]);
        const holders = outcome === 'ok' ? [] : outcome.map(({ heldBy }) => heldBy);
        const isOne = relation === 'same' || relation === 'overlap';
        assert.deepEqual(holders, isOne ? ['a'] : []);
        assert.equal((await engine.machines.findByAlias(at(second)))?.id, isOne ? 'a' : 'b');
        if (isOne) await engine.machines.put(machine('b'), []);
        const locks = [(await engine.machines.get('a'))?.bmcId, (await engine.machines.get('b'))?.bmcId];
        assert.equal(locks[0] === locks[1], relation === 'siblings');
        await engine.machines.remove('a');
        await engine.machines.remove('b');
      }
    });

    test(`are ${one}, claimed by a host at ${other}: ${relation}`, async (t) => {
      const rig = await setUpEngine(t);
      await rig.engine.machines.put(machine('a'), [at(one)]);
      const use = { code: 'HostInUse', message: 'in use' };
      await rig.engine.claims.put({ owner: 'host', names: [at(other)], use });
      const { reason } = await rig.create('server/a', 'firmwareInstall');
      assert.equal(reason?.code, relation === 'same' || relation === 'overlap' ? 'HostInUse' : undefined);
    });
  }
});

describe('one BMC', () => {
  const path = '/redfish/v1/Systems/1';
  const first = at(`https://10.0.0.7${path}`);
  const second = at('redfish://10.0.0.7/redfish/v1/Systems/2');

  test('works for one of its systems at a time, whatever BMC they were put with', async (t) => {
    const rig = await setUpEngine(t);
    await rig.engine.machines.put(machine('a', 'chassis-1'), [first]);
    await rig.engine.machines.put(machine('b', 'chassis-2'), [second]);
    await rig.online('w');
    await rig.create('server/a', 'firmwareInstall');
    const waiting = await rig.create('server/b', 'powerCycleHard');
    const lease = await rig.leaseOne('w');
    assert.equal(lease.condition.target, 'server/a');
    assert.deepEqual(await rig.lease('w'), []);
    assert.equal((await rig.get(waiting.id)).reason?.code, 'WaitsForLock');
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    assert.equal((await rig.leaseOne('w')).condition.id, waiting.id);
  });

  test('has one lock for all its addresses: who is put with the same BMC, or with two of its addresses, joins them', async (t) => {
    const { engine } = await setUpEngine(t);
    const lockOf = async (id: string) => (await engine.machines.get(id))?.bmcId;
    await engine.machines.put(machine('a'), [first]);
    await engine.machines.put(machine('b', 'chassis'), [at('https://[fd00::7]/redfish/v1/Systems/1')]);
    await engine.machines.put(machine('c', 'chassis'), [at('https://bmc7.example/redfish/v1/Systems/1')]);
    assert.deepEqual([await lockOf('b'), await lockOf('c')], ['chassis', 'chassis']);
    await engine.machines.put(machine('d'), [second, at('https://[fd00::7]/redfish/v1/Systems/2')]);
    assert.equal(new Set(await Promise.all(['a', 'b', 'c', 'd'].map(lockOf))).size, 1);
    // Who only says again what is known stays where it was moved to.
    await engine.machines.put(machine('c', 'chassis'), [at('https://bmc7.example/redfish/v1/Systems/1')]);
    await engine.machines.put(machine('a'), [first]);
    assert.equal(new Set(await Promise.all(['a', 'b', 'c', 'd'].map(lockOf))).size, 1);
  });

  test('takes in who is at work elsewhere only when that ends, and what waits there at once', async (t) => {
    const rig = await setUpEngine(t);
    const { machines } = rig.engine;
    const other = at('https://10.0.0.8/redfish/v1/Systems/2');
    await machines.put(machine('a'), [first]);
    await machines.put(machine('b'), [other]);
    await rig.online('w');
    await rig.create('server/a', 'firmwareInstall');
    const lease = await rig.leaseOne('w');
    const waiting = await rig.create('server/b', 'powerCycleHard');
    await machines.put(machine('b'), [second]);
    assert.equal((await machines.get('b'))?.bmcId, 'a');
    assert.deepEqual(await rig.lease('w'), []);
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    const next = await rig.leaseOne('w');
    assert.deepEqual([next.condition.id, next.condition.lockKey], [waiting.id, 'bmc/a']);
    await assert.rejects(machines.put(machine('b'), [other]), { code: 'machineBusy' });
  });

  test('is kept by a machine that is worked on: its address stays until that ends, and nobody else gets the BMC', async (t) => {
    const rig = await setUpEngine(t);
    const { machines } = rig.engine;
    const elsewhere = at('https://10.0.0.9');
    await machines.put(machine('a'), [first]);
    await rig.online('w');
    await rig.create('server/a', 'firmwareInstall');
    const lease = await rig.leaseOne('w');
    await assert.rejects(machines.put(machine('a'), [elsewhere]), { code: 'machineBusy' });
    await assert.rejects(machines.put(machine('a'), []), { code: 'machineBusy' });
    assert.deepEqual(await machines.aliasesOf('a'), [{ kind: 'bmc-address', value: `10.0.0.7:443${path}` }]);
    // Another spelling, and one more address, leave nothing.
    assert.equal(await machines.put(machine('a'), [at(`redfish://10.0.0.7:443${path}/`), elsewhere]), 'ok');
    await assert.rejects(machines.put(machine('a'), [elsewhere]), { code: 'machineBusy' });
    assert.equal(await machines.put(machine('a'), [elsewhere], { isSameBmc: true }), 'ok');
    await assert.rejects(machines.put(machine('a'), [first]), { code: 'machineBusy' });
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    assert.equal(await machines.put(machine('a'), [first]), 'ok');
  });

  test('is left by a machine that gets another address, and that alone', async (t) => {
    const { engine } = await setUpEngine(t);
    const lockOf = async (id: string) => (await engine.machines.get(id))?.bmcId;
    await engine.machines.put(machine('a'), [first]);
    await engine.machines.put(machine('b'), [second]);
    assert.equal(await lockOf('b'), 'a');
    await engine.machines.put(machine('b'), [at('https://10.0.0.9')]);
    assert.deepEqual([await lockOf('a'), await lockOf('b')], ['a', 'b']);
    // The one that gave the lock its name leaves: no other BMC gets that lock.
    await engine.machines.put(machine('b'), [second]);
    await engine.machines.put(machine('a'), [at('https://10.0.0.9')]);
    assert.notEqual(await lockOf('a'), await lockOf('b'));
  });
});

test('two that are at work when an older store is opened share one lock as soon as one is free', async (t) => {
  const rig = await setUpEngine(t);
  await rig.engine.machines.put(machine('a'), [at('https://10.0.0.7')]);
  await rig.engine.machines.put(machine('b'), [at('https://10.0.0.8')]);
  await rig.online('w');
  for (const id of ['a', 'b']) await rig.create(`server/${id}`, 'firmwareInstall');
  const [one, other] = await rig.lease('w');
  assert.ok(one !== undefined && other !== undefined);
  await rig.database.write(async (tx) => {
    await tx.run(`UPDATE aliases SET value = 'https://10.0.0.7/', bmc = NULL WHERE machine_id = 'a'`);
    await tx.run(`UPDATE aliases SET value = '10.0.0.7:443', bmc = NULL WHERE machine_id = 'b'`);
  });
  const opened = await rig.another();
  const locks = async () => [(await opened.machines.get('a'))?.bmcId, (await opened.machines.get('b'))?.bmcId];
  assert.deepEqual(await locks(), ['a', 'b']);
  await opened.worker.report(held(one), { state: 'succeeded' });
  rig.clock.advance(60_001);
  await opened.worker.report(held(other), {});
  await opened.sweep();
  const [lockA, lockB] = await locks();
  assert.deepEqual(lockA, lockB);
});
