import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startDataCentre } from '../../../simulator/index.ts';
import { BmcError, createGates, isBmcError } from '../../bmc/index.ts';
import { systemClock } from '../../kube/index.ts';
import { serverA, serverB, startOrc } from '../testing/orc-rig.ts';
import { createBmcProbe } from './bmc-probe.ts';
import type { BmcProbe, FleetPlane } from './ports.ts';

const parameters = { facility: 'fc1', 'bmc-ip': '127.0.0.9', 'bmc-user': 'root', 'bmc-pwd': 'calvin' };
const away = new BmcError('unreachable', { origin: 'https://127.0.0.9', detail: 'ECONNREFUSED' });
const refused = new BmcError('credentials', { origin: 'https://127.0.0.9', username: 'root' });

/** A BMC of server A, or one that fails. */
function probeOf(failure?: Error): BmcProbe {
  return {
    async identify() {
      if (failure !== undefined) throw failure;
      return { id: serverA, vendor: 'Dell Inc.', model: 'PowerEdge R640', serial: 'ABC1234' };
    },
  };
}

function planeOf(failure?: Error): FleetPlane & { readonly objects: Set<string> } {
  const objects = new Set<string>();
  return {
    objects,
    async bmcEnrolled({ id }) {
      if (failure !== undefined) throw failure;
      objects.add(id);
    },
    async bmcRemoved(id) {
      objects.delete(id);
    },
  };
}

test('a server that is enrolled without an id gets the one that its BMC says, and what else it says of itself', async (t) => {
  const rig = await startOrc(t, {}, { probe: probeOf() });
  const answer = await rig.call('POST', '/serverEnroll', { parameters: { ...parameters, vendor: 'dell' } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.record.target, serverA);
  const [enrolled] = rig.inventory.enrolled;
  assert.deepEqual([enrolled?.vendor, enrolled?.model, enrolled?.serial], ['dell', 'PowerEdge R640', 'ABC1234']);
  const twice = await rig.call('POST', '/serverEnroll', { parameters: { ...parameters, 'bmc-ip': '127.0.0.9' } });
  assert.equal(
    rig.inventory.enrolled.every(({ id }) => id === serverA),
    true,
    JSON.stringify(twice.body),
  );
});

test('a server is enrolled by those who may write credentials, since it comes with one (security.md: credential-destinations, role-rest-admin)', async (t) => {
  const rig = await startOrc(t, {}, { probe: probeOf() });
  for (const path of ['/serverEnroll', `/serverEnroll/${serverA}`]) {
    const answer = await rig.call('POST', path, { parameters }, 'writer');
    assert.equal(answer.status, 403);
    assert.match(String(answer.body.message), /lacks the scope write:server:credentials/);
  }
  assert.deepEqual(rig.inventory.enrolled, []);
});

test('an id that is given has to be the one of the machine', async (t) => {
  const rig = await startOrc(t, {}, { probe: probeOf() });
  const answer = await rig.call('POST', `/serverEnroll/${serverB}`, { parameters });
  assert.equal(answer.status, 409);
  assert.equal(answer.body.code, 'otherMachine');
  assert.deepEqual(rig.inventory.enrolled, []);
  assert.equal((await rig.call('POST', `/serverEnroll/${serverA.toUpperCase()}`, { parameters })).status, 200);
});

for (const [failure, path, status, code] of [
  [away, '/serverEnroll', 502, 'bmcAway'],
  [refused, '/serverEnroll', 422, 'bmcRefused'],
  [refused, `/serverEnroll/${serverA}`, 422, 'bmcRefused'],
  [away, `/serverEnroll/${serverA}`, 200, undefined],
] as const) {
  test(`a BMC that is ${failure.code} when ${path} is asked for is answered with ${status}`, async (t) => {
    const rig = await startOrc(t, {}, { probe: probeOf(failure) });
    const answer = await rig.call('POST', path, { parameters });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.code, code);
    assert.equal(rig.inventory.enrolled.length, status === 200 ? 1 : 0);
    assert.doesNotMatch(JSON.stringify(answer.body), /calvin/);
  });
}

test('beside a plane the BMC of an enrolled server becomes an object there, and goes with the server', async (t) => {
  const plane = planeOf();
  const rig = await startOrc(t, {}, { probe: probeOf(), plane });
  const { record } = await rig.call('POST', '/serverEnroll', { parameters });
  assert.deepEqual([...plane.objects], [serverA]);
  await rig.call('POST', `/conditions/${record.id}/cancel`, {});
  assert.equal((await rig.call('DELETE', `/servers/${serverA}`)).status, 200);
  assert.deepEqual([...plane.objects], []);
});

test('a plane that does not take the BMC leaves nothing of the server', async (t) => {
  const rig = await startOrc(t, {}, { probe: probeOf(), plane: planeOf(new Error('the API server is away')) });
  const answer = await rig.call('POST', '/serverEnroll', { parameters });
  assert.ok(answer.status >= 500, JSON.stringify(answer.body));
  assert.equal(await rig.engine.machines.get(serverA), undefined);
  assert.equal((await rig.call('GET', `/servers/${serverA}/condition`)).status, 404);
});

async function startOne(t: TestContext) {
  const dataCentre = await startDataCentre({
    seed: 5,
    servers: 1,
    personalities: ['dell-idrac9'],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
  });
  const gates = createGates({ clock: systemClock });
  t.after(async () => {
    await gates.close();
    await dataCentre.close();
  });
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  return { bmc, probe: createBmcProbe({ gates, trustOf: () => ({ kind: 'system', allowsHttp: true }) }) };
}

test('a probe reads the id of the machine from its BMC and leaves no session behind', async (t) => {
  const { bmc, probe } = await startOne(t);
  const { url: address, username, password, machine } = bmc;
  const found = await probe.identify({ address, username, password });
  assert.equal(found.id, machine.hardware.uuid.toLowerCase());
  assert.equal(found.model, machine.hardware.model);
  const sessions = machine.log.events.map(({ event }) => event).filter((event) => event.startsWith('session.'));
  assert.deepEqual(sessions, ['session.open', 'session.close']);
  const wrong = probe.identify({ address, username, password: 'wrong' });
  await assert.rejects(wrong, (error) => isBmcError(error, 'credentials'));
  await assert.rejects(probe.identify({ address: 'ftp://x', username, password }), (error) =>
    isBmcError(error, 'badAddress'),
  );
});
