import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../engine/index.ts';
import { outsideKinds } from '../../flasher/index.ts';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { kindForTests, kindsForTests } from '../testing/kinds.ts';
import { imageA, imageB, type OrcRig, serverA, setA, startOrc } from '../testing/orc-rig.ts';
import { fromShippedKind } from './shipped-kinds.ts';

const kinds = [...kindsForTests, ...outsideKinds(), kindForTests('serverControl', ['action'])];

async function started(t: TestContext, more: Parameters<typeof startOrc>[2] = {}): Promise<OrcRig> {
  const rig = await startOrc(t, { kinds }, more);
  await rig.addMachine(serverA);
  const inband = firmwareForTests(imageB, { component: 'nic', isInband: true });
  rig.inventory.sets.set(setA, [firmwareForTests(imageA), inband]);
  return rig;
}

const agent = { id: 'agent/1', kinds: ['firmwareInstallInband', 'inventoryInband'], facilities: ['fc1'] };
const ask = (rig: OrcRig, kind: string, parameters: JsonObject = {}) =>
  rig.call('POST', `/servers/${serverA}/condition`, { kind, parameters });
const install = (rig: OrcRig, body: JsonObject = { firmware_set_id: setA }) =>
  rig.call('POST', `/servers/${serverA}/firmwareInstall`, body);

for (const [kind, parameters] of [
  ['inventory', { inventory_method: 'inband' }],
  ['inventoryInband', {}],
  ['firmwareInstallInband', { firmwares: [] }],
  ['broker', { action: 'acquireServer' }],
  ['broker.releaseServer', {}],
] as const) {
  test(`${kind} ${JSON.stringify(parameters)} is refused while no worker does it, and nothing is stored`, async (t) => {
    const rig = await started(t);
    await rig.engine.worker.online({ ...agent, facilities: ['fc2'] });
    const answer = await ask(rig, kind, parameters as unknown as JsonObject);
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.equal(answer.body.code, 'noWorker');
    assert.match(String(answer.body.message), /none that does it is online for facility fc1/);
    assert.deepEqual((await rig.engine.list({})).conditions, []);
  });
}

test('a worker outside gets in-band work over the worker API once it is online', async (t) => {
  const rig = await started(t);
  await rig.call('POST', '/workers/online', { workerId: agent.id, ...agent, id: undefined }, 'worker');
  const { record, status } = await ask(rig, 'inventory', { inventory_method: 'inband' });
  assert.equal(status, 200);
  assert.equal(record.kind, 'inventoryInband');
  const lease = await rig.call('POST', '/workers/lease', { workerId: agent.id, max: 1, waitMs: 0 }, 'worker');
  const [given] = lease.body.leases as { condition: { id: string }; token: number }[];
  assert.equal(given?.condition.id, record.id);
  const report = { conditionId: record.id, token: given?.token, report: { state: 'succeeded' } };
  assert.equal((await rig.call('POST', '/workers/report', report, 'worker')).status, 200);
  assert.equal((await rig.call('GET', `/conditions/${record.id}`)).record.state, 'succeeded');
});

test('an agent on the host gets its work by the paths that shipped where agents are promised', async (t) => {
  const rig = await started(t, { areAgentsPromised: true });
  const { record } = await ask(rig, 'inventory', { inventory_method: 'inband' });
  const path = `/servers/${serverA}/condition-task/inventoryInband`;
  const task = await rig.call('GET', path, undefined, 'worker');
  assert.equal((task.body.records as JsonObject).id, record.id);
});

test('an install with in-band images boots the agent, installs those, then the others', async (t) => {
  const rig = await started(t);
  await rig.engine.worker.online(agent);
  const answer = await install(rig);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(
    answer.conditions.map(({ kind }) => kind),
    ['serverControl', 'firmwareInstallInband', 'firmwareInstall'],
  );
  assert.equal(answer.record.kind, 'firmwareInstall');
  const others = answer.record.parameters.firmwares as JsonObject[];
  assert.deepEqual(
    others.map(({ id }) => id),
    [imageA],
    'the BMC is not asked for what the agent installs',
  );
  const inband = answer.conditions[1]?.parameters.firmwares as JsonObject[];
  assert.deepEqual(
    inband.map(({ id }) => id),
    [imageB],
  );
});

test('an install of nothing but in-band images is done by the agent alone, and asking again finds it', async (t) => {
  const rig = await started(t);
  const set = '5e000000-0000-4000-8000-00000000000b';
  rig.inventory.sets.set(set, [firmwareForTests(imageB, { isInband: true })]);
  await rig.engine.worker.online(agent);
  const answer = await install(rig, { firmware_set_id: set });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.record.kind, 'firmwareInstallInband');
  assert.ok(answer.conditions.every(({ kind }) => kind !== 'firmwareInstall'));
  assert.equal((await install(rig, { firmware_set_id: set })).record.id, answer.record.id);
});

test('without an agent the other images are still installed, and an order with nothing else is refused', async (t) => {
  const rig = await started(t);
  rig.inventory.sets.set('5e000000-0000-4000-8000-00000000000b', [firmwareForTests(imageB, { isInband: true })]);
  const refused = await install(rig, { firmware_set_id: '5e000000-0000-4000-8000-00000000000b' });
  assert.equal(refused.body.code, 'noWorker', JSON.stringify(refused.body));
  const answer = await install(rig);
  assert.deepEqual(
    answer.conditions.map(({ kind }) => kind),
    ['firmwareInstall'],
  );
});

test('what shipped under one name is stored under names of our own', async (t) => {
  const rig = await started(t, { areAgentsPromised: true });
  await rig.engine.worker.online({ id: 'b', kinds: ['broker.acquireServer'], facilities: ['fc1'] });
  assert.equal((await ask(rig, 'broker', { action: 'acquireServer' })).record.kind, 'broker.acquireServer');
  assert.equal((await ask(rig, 'broker', { action: 'lend' })).status, 400);
  const control = await ask(rig, 'serverControl', { action: 'set_power_state', action_parameter: 'cycle' });
  assert.equal(control.record.kind, 'powerCycleHard');
});

test('a host that is to be off at once, in the words that shipped, is not cut off in the middle of a flash', () => {
  const parameters = { action: 'set_power_state', action_parameter: 'off' };
  const wanted = { kind: 'powerOff', parameters: { grace_period_seconds: 0 } };
  assert.deepEqual(fromShippedKind({ kind: 'serverControl', parameters }), wanted);
});
