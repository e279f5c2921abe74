import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectBmc } from './connect.ts';
import { isBmcError } from './errors.ts';
import type { Gates, LeaseCheck } from './gate/gate.ts';
import { listSystems, systemOf } from './redfish/index.ts';
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
