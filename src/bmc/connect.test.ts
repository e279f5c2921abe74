import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectBmc } from './connect.ts';
import { isBmcError } from './errors.ts';
import type { Gates, LeaseCheck } from './gate/gate.ts';
import { listSystems, systemOf } from './redfish/index.ts';
import { listTaskUris, readTasks } from './tasks/index.ts';
import { createHurriedClock } from './testing/hurried-clock.ts';
import { collection, sampleTree } from './testing/sample-tree.ts';
import { createScriptedBmc } from './testing/scripted-bmc.ts';
import { createScriptedGate } from './testing/scripted-gate.ts';

const two = collection('/redfish/v1/Systems', { A: { Model: 'a' }, B: { Model: 'b' } });

test('connecting opens a lane with the lease check of the caller and sends nothing', () => {
  const gate = createScriptedGate();
  const opened: unknown[] = [];
  const gates: Gates = {
    open(endpoint, caller) {
      opened.push(endpoint, caller);
      return gate;
    },
    states: [],
    close: async () => {},
  };
  const checkLease: LeaseCheck = async () => {};
  const bmc = connectBmc({ gates, endpoint: gate.endpoint, clock: createHurriedClock(), checkLease, systemPath: '/s' });
  assert.deepEqual(opened, [gate.endpoint, { checkLease }]);
  assert.equal(bmc.systemPath, '/s');
  assert.deepEqual(gate.lines, []);
});

test('the root is asked for once, without a log-in', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' } }) });
  const [one, other] = await Promise.all([bmc.root(), bmc.root()]);
  assert.equal(one.vendor, 'dell');
  assert.equal(other.systems, '/redfish/v1/Systems');
  assert.equal(gate.sent.length, 1);
  assert.equal(gate.sent[0]?.isPublic, true);
});

test('a root that failed is asked for again', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' } }) });
  gate.once('GET /redfish/v1/', () => 'unreachable');
  await assert.rejects(bmc.root(), (error) => isBmcError(error, 'unreachable'));
  assert.equal((await bmc.root()).vendor, 'dell');
});

test('a root that is hidden from strangers is asked for with a log-in', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' } }) });
  gate.once('GET /redfish/v1/', () => ({ status: 401 }));
  assert.equal((await bmc.root()).vendor, 'dell');
  assert.deepEqual(
    gate.sent.map(({ isPublic }) => isPublic),
    [true, undefined],
  );
});

test('where the root does not say whose it is, the manager is asked, once', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ manager: { Model: 'OpenBmc' } }) });
  assert.equal((await bmc.root()).vendor, 'openbmc');
  assert.equal((await bmc.root()).vendor, 'openbmc');
  assert.equal(gate.sent.length, 3);
});

test('the only system is meant unless one is named', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  assert.equal((await systemOf(bmc)).path, '/redfish/v1/Systems/1');
  const named = createScriptedBmc({ tree: sampleTree({ more: two }), systemPath: '/redfish/v1/Systems/B' });
  assert.equal((await systemOf(named.bmc)).body.Model, 'b');
  assert.deepEqual(named.gate.lines, ['GET /redfish/v1/Systems/B']);
});

test('of several systems one must be named, and the error lists them', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more: two }) });
  await assert.rejects(systemOf(bmc), (error) => isBmcError(error, 'unsupported') && /A, B/.test(error.message));
  assert.equal((await listSystems(bmc)).length, 2);
});

test('a hypervisor beside the machine does not make it two', async () => {
  const more = collection('/redfish/v1/Systems', {
    system: { SystemType: 'Physical', V: 1 },
    hypervisor: { SystemType: 'OS', V: 2 },
  });
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.equal((await systemOf(bmc)).path, '/redfish/v1/Systems/system');
});

test('a named system that is not there is an error that lists those that are', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more: two }), systemPath: '/redfish/v1/Systems/C' });
  await assert.rejects(
    systemOf(bmc),
    (error) => isBmcError(error, 'notFound') && /Systems\/A, .*Systems\/B/.test(error.message),
  );
});

test('a BMC without systems says so', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more: collection('/redfish/v1/Systems', {}) }) });
  await assert.rejects(systemOf(bmc), /no systems/);
});

test('where the only system is is found out once, what it says is asked each time', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  await systemOf(bmc);
  const asked = gate.lines.length;
  gate.change('/redfish/v1/Systems/1', { PowerState: 'Off' });
  assert.equal((await systemOf(bmc)).body.PowerState, 'Off');
  assert.deepEqual(gate.lines.slice(asked), ['GET /redfish/v1/Systems/1']);
});

test('a system that has moved is found again', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  await systemOf(bmc);
  const moved = collection('/redfish/v1/Systems', { Self: { Model: 'a' } });
  gate.tree.delete('/redfish/v1/Systems/1');
  for (const [path, body] of Object.entries(moved)) gate.tree.set(path, body);
  assert.equal((await systemOf(bmc)).path, '/redfish/v1/Systems/Self');
  assert.equal((await systemOf(bmc)).body.Model, 'a');
});

const tasks = {
  '/redfish/v1/TaskService': { Tasks: { '@odata.id': '/redfish/v1/TaskService/Tasks' } },
  ...collection('/redfish/v1/TaskService/Tasks', { 1: { Name: 'one' } }),
};

const root = { Tasks: { '@odata.id': '/redfish/v1/TaskService' } };

test('tasks are looked for in the usual place, and where the service says when they are not there', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell', ...root }, more: tasks }) });
  assert.equal((await listTaskUris(bmc)).uris.length, 1);
  assert.deepEqual(gate.lines.slice(1), ['GET /redfish/v1/TaskService/Tasks']);
  gate.tree.delete('/redfish/v1/TaskService/Tasks');
  gate.change('/redfish/v1/TaskService', { Tasks: { '@odata.id': '/redfish/v1/Jobs' } });
  for (const [path, body] of Object.entries(collection('/redfish/v1/Jobs', { 9: {} }))) gate.tree.set(path, body);
  const asked = gate.lines.length;
  assert.deepEqual((await listTaskUris(bmc)).uris, ['/redfish/v1/Jobs/9']);
  // From then on there.
  assert.deepEqual((await listTaskUris(bmc)).uris, ['/redfish/v1/Jobs/9']);
  assert.deepEqual(gate.lines.slice(asked), [
    'GET /redfish/v1/TaskService/Tasks',
    'GET /redfish/v1/TaskService',
    'GET /redfish/v1/Jobs',
    'GET /redfish/v1/Jobs',
  ]);
});

test('an empty list in the usual place is believed only when the service names it', async () => {
  const real = collection('/redfish/v1/Managers/1/Jobs', { 7: { Name: 'an update' } });
  const decoy = collection('/redfish/v1/TaskService/Tasks', {});
  const service = { '/redfish/v1/TaskService': { Tasks: { '@odata.id': '/redfish/v1/Managers/1/Jobs' } } };
  const more = { ...service, ...decoy, ...real };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ root, more }) });
  assert.deepEqual((await listTaskUris(bmc)).uris, ['/redfish/v1/Managers/1/Jobs/7']);
  assert.equal((await readTasks(bmc, () => true)).tasks.length, 1);
});

test('what could not be read of the tasks stays a gap when the service is not there to say where they are', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell', ...root }, more: tasks }) });
  gate.tree.delete('/redfish/v1/TaskService');
  gate.once('GET /redfish/v1/TaskService/Tasks/1', () => ({ status: 403 }));
  const { isKept, gaps } = await readTasks(bmc, () => true);
  assert.deepEqual([isKept, gaps.length], [true, 1]);
});

test('a list of tasks that is not there is not kept, and one that cannot be read is a gap', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root, more: tasks }) });
  assert.equal((await listTaskUris(bmc)).isKept, true);
  gate.once('GET /redfish/v1/TaskService/Tasks', () => ({ status: 403 }));
  const { isKept, gaps } = await listTaskUris(bmc);
  assert.deepEqual([isKept, gaps.length], [true, 1]);
  gate.tree.delete('/redfish/v1/TaskService/Tasks');
  assert.equal((await listTaskUris(bmc)).isKept, false);
});
