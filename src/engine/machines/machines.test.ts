import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Alias, MachineRecord } from '../machine.ts';
import { held, setUpEngine } from '../testing/rig.ts';

const machine = (id: string, more: Partial<MachineRecord> = {}): MachineRecord => ({
  id,
  facility: 'fc1',
  bmcId: `bmc-${id}`,
  manufacturer: 'Dell',
  model: 'R750',
  hold: undefined,
  ...more,
});
const mac = (value: string): Alias => ({ kind: 'mac', value });
const serial = (value: string): Alias => ({ kind: 'serial', value });

describe('machines', () => {
  test('are found by id and by each of their names, however a MAC is written', async (t) => {
    const { engine } = await setUpEngine(t);
    assert.equal(await engine.machines.put(machine('a'), [mac('AA:BB:CC:00:11:22'), serial('S1')]), 'ok');
    assert.deepEqual(await engine.machines.get('a'), machine('a'));
    assert.deepEqual(await engine.machines.findByAlias(mac('aa:bb:cc:00:11:22')), machine('a'));
    assert.deepEqual(await engine.machines.findByAlias(serial('S1')), machine('a'));
    assert.equal(await engine.machines.findByAlias(serial('s1')), undefined);
    assert.equal(await engine.machines.get('b'), undefined);
  });

  test('never share a name: a claim of another one changes nothing and names who has it', async (t) => {
    const { engine } = await setUpEngine(t);
    await engine.machines.put(machine('a'), [mac('aa:01'), serial('S1')]);
    await engine.machines.put(machine('b'), [serial('S2')]);
    const claim = await engine.machines.put(machine('b', { model: 'R760' }), [
      serial('S3'),
      mac('AA:01'),
      serial('S1'),
    ]);
    assert.deepEqual(claim, [
      { alias: mac('AA:01'), heldBy: 'a' },
      { alias: serial('S1'), heldBy: 'a' },
    ]);
    assert.equal((await engine.machines.get('b'))?.model, 'R750');
    assert.deepEqual(await engine.machines.aliasesOf('b'), [serial('S2')]);
    const [one, two] = await Promise.all([
      engine.machines.put(machine('c'), [serial('S9')]),
      engine.machines.put(machine('d'), [serial('S9')]),
    ]);
    assert.deepEqual([one, two].filter((each) => each === 'ok').length, 1);
  });

  test('give up names that are not given any more, so that another may have them', async (t) => {
    const { engine } = await setUpEngine(t);
    await engine.machines.put(machine('a'), [serial('S1'), serial('S2'), serial('S2')]);
    await engine.machines.put(machine('a'), [serial('S2')]);
    assert.equal(await engine.machines.put(machine('b'), [serial('S1')]), 'ok');
    assert.deepEqual(await engine.machines.aliasesOf('a'), [serial('S2')]);
    await engine.machines.remove('b');
    assert.equal(await engine.machines.findByAlias(serial('S1')), undefined);
    await assert.rejects(engine.machines.remove('b'), { code: 'unknownMachine' });
    await assert.rejects(engine.machines.setHold('b', undefined), { code: 'unknownMachine' });
  });

  test('take what waits for them along to another facility and BMC, and tokens still only grow', async (t) => {
    const rig = await setUpEngine(t);
    await rig.addMachine('a');
    await rig.online('w1');
    await rig.online('w2', { facilities: ['fc2'] });
    const { id } = await rig.create('server/a', 'firmwareInstall');
    for (let n = 0; n < 4; n++) await rig.engine.worker.release(held(await rig.leaseOne('w1')), 'again');
    await rig.engine.machines.put(machine('a', { facility: 'fc2', bmcId: 'other' }), []);
    assert.deepEqual(await rig.lease('w1'), []);
    const lease = await rig.leaseOne('w2');
    assert.deepEqual([lease.condition.id, lease.condition.lockKey, lease.token], [id, 'bmc/other', 5]);
    await assert.rejects(rig.engine.machines.put(machine('a'), []), { code: 'machineBusy' });
    assert.equal((await rig.engine.machines.get('a'))?.bmcId, 'other');
  });

  test('keep a new holder waiting for the last request to the BMC they had, and tell it who left that', async (t) => {
    const rig = await setUpEngine(t);
    await rig.addMachine('a');
    await rig.online('w1');
    const { id } = await rig.create('server/a', 'firmwareInstall');
    const lost = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(lost), { sessionUri: '/sessions/1' });
    await rig.engine.worker.online({ id: 'w1', kinds: ['firmwareInstall', 'powerCycleHard'], facilities: ['fc1'] });
    await rig.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
    await rig.engine.machines.put(machine('a', { bmcId: 'same-by-another-name' }), []);
    await rig.create('server/a', 'powerCycleHard');
    assert.deepEqual(await rig.lease('w1'), []);
    rig.clock.advance(5000);
    const lease = await rig.leaseOne('w1');
    assert.deepEqual(lease.leftovers, [{ controller: 'w1', token: 1, sessionUri: '/sessions/1' }]);
    assert.ok(lease.token > lost.token);
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    await rig.create('server/a', 'firmwareInstall');
    assert.deepEqual((await rig.leaseOne('w1')).leftovers, []);
  });

  test('take work along that is going on: when its lease ends it goes on in the other facility', async (t) => {
    const rig = await setUpEngine(t);
    await rig.addMachine('a');
    await rig.online('w1');
    await rig.online('w2', { facilities: ['fc2'] });
    const { id } = await rig.create('server/a', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.machines.put(machine('a', { facility: 'fc2' }), []);
    assert.equal((await rig.engine.worker.report(held(lease), {})).outcome, 'kept');
    rig.clock.advance(15_000);
    await rig.engine.sweep();
    assert.deepEqual(await rig.lease('w1'), []);
    assert.equal((await rig.leaseOne('w2')).condition.id, id);
  });

  test('that move away between a search and a lease are not worked on from the facility they left', async (t) => {
    const rig = await setUpEngine(t);
    await rig.addMachine('a');
    await rig.online('w1');
    await rig.create('server/a', 'firmwareInstall');
    const { database } = rig;
    const read = database.read.bind(database);
    let hasMoved = false;
    t.after(() => Object.assign(database, { read }));
    Object.assign(database, {
      async read(work: Parameters<typeof read>[0]) {
        const found = await read(work);
        if (!hasMoved && typeof found === 'object' && found !== null && 'found' in found) {
          hasMoved = true;
          await rig.engine.machines.put(machine('a', { facility: 'fc2' }), []);
        }
        return found;
      },
    });
    assert.deepEqual(await rig.lease('w1'), []);
    assert.ok(hasMoved);
  });

  test('are not removed while work on them goes on; what only waits fails', async (t) => {
    const rig = await setUpEngine(t);
    await rig.addMachine('a');
    await rig.online('w1');
    await rig.create('server/a', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    const waiting = await rig.create('server/a', 'powerCycleHard');
    await assert.rejects(rig.engine.machines.remove('a'), { code: 'machineBusy' });
    assert.equal((await rig.get(waiting.id)).state, 'pending');
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    await rig.engine.machines.remove('a');
    assert.deepEqual(
      [(await rig.get(waiting.id)).state, (await rig.get(waiting.id)).reason?.code],
      ['failed', 'MachineGone'],
    );
    assert.equal((await rig.engine.sweep()).collected, 2);
    assert.equal((await rig.get(waiting.id)).state, 'failed');
  });
});
