import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Lease } from '../../src/engine/index.ts';
import { fleet, type HostApi, startHostApi, untilGone } from '../../src/hosts/testing/rig.ts';
import { type LockRig, setUpLock, until } from './hosts-lock-rig.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc', checksumType: 'sha256' };
const provision = { spec: { image } };
const deprovision = { spec: { image: null } };

/** A machine that the engine knows, with a host that is available. */
async function setUpAvailable(t: TestContext, api: HostApi): Promise<LockRig> {
  const rig = await setUpLock(t, api);
  await rig.learn();
  await rig.start();
  await rig.makeHost();
  await rig.untilState('available');
  return rig;
}

/** Waits until work is leased. */
async function leased(rig: LockRig): Promise<Lease> {
  let lease: Lease | undefined;
  await until('the work is leased', async () => {
    lease = await rig.lease();
    return lease !== undefined;
  });
  return lease ?? assert.fail();
}

const end = ({ engine }: LockRig, { condition, token }: Lease) =>
  engine.worker.report({ conditionId: condition.id, token }, { state: 'succeeded' });

const reasonOf = async ({ engine }: LockRig, { id }: { readonly id: string }) => (await engine.get(id))?.reason;

describe('hosts and the engine, on one store and one Ironic', { timeout: 600_000 }, () => {
  let api: HostApi;
  before(async () => {
    api = await startHostApi();
  });
  after(() => api.close());

  it('a node is in maintenance with our reason before work of the engine begins, until it has ended', async (t) => {
    const rig = await setUpAvailable(t, api);
    await rig.order();
    const lease = await leased(rig);
    assert.equal(rig.node().maintenance, true);
    assert.match(rig.node().maintenance_reason ?? '', /^rackwright: /);
    // What its owner wants now has to wait.
    await rig.patchHost(provision);
    await rig.untilState('provisioning');
    assert.equal(rig.node().provision_state, 'available');
    await end(rig, lease);
    await until('the maintenance has ended', () => !rig.node().maintenance);
    await rig.untilState('provisioned');
    assert.equal(rig.node().maintenance_reason, null);
  });

  it('nothing begins on a machine that becomes known while Ironic deploys it', async (t) => {
    const rig = await setUpLock(t, api);
    await rig.start();
    await rig.makeHost();
    await rig.untilState('available');
    await rig.patchHost(provision);
    const isDeploying = async () => (await rig.engine.claims.get(rig.owner))?.work === 'provision';
    await until('it is being deployed', isDeploying);
    await rig.learn();
    const ordered = await rig.order();
    assert.equal(await rig.lease(), undefined);
    assert.equal((await reasonOf(rig, ordered))?.code, 'HostInUse');
    // Also not when its owner turns back, as long as the machine is not idle.
    await rig.patchHost(deprovision);
    await rig.untilState('available');
    const lease = await leased(rig);
    assert.deepEqual([rig.node().provision_state, rig.node().maintenance], ['available', true]);
    await end(rig, lease);
    await until('the maintenance has ended', () => !rig.node().maintenance);
  });

  it('a host in use is not disturbed, also after restarts, until it is free', async (t) => {
    const rig = await setUpAvailable(t, api);
    await rig.patchHost(provision);
    await rig.untilState('provisioned');
    const ordered = await rig.order();
    await rig.stop();
    await rig.restartEngine();
    assert.equal(await rig.lease(), undefined);
    await rig.start();
    await rig.untilState('provisioned');
    assert.equal(await rig.lease(), undefined);
    const reason = await reasonOf(rig, ordered);
    assert.equal(reason?.code, 'HostInUse');
    assert.match(reason?.message ?? '', new RegExp(`${rig.owner} is in use \\(provisioned\\)`));
    assert.equal(rig.node().maintenance, false);
    await rig.patchHost(deprovision);
    await rig.untilState('available');
    const lease = await leased(rig);
    assert.equal(rig.node().provision_state, 'available');
    await end(rig, lease);
  });

  it('a host that is deleted gives its machine away for good', async (t) => {
    const rig = await setUpLock(t, api);
    await rig.learn();
    await rig.start();
    await rig.makeHost();
    await rig.patchHost({ spec: { externallyProvisioned: true } });
    await rig.untilState('externally provisioned');
    const ordered = await rig.order();
    assert.equal(await rig.lease(), undefined);
    assert.equal((await reasonOf(rig, ordered))?.code, 'HostInUse');
    await api.hosts.delete({ namespace: fleet, name: rig.host });
    await untilGone(api.hosts, rig.host);
    await leased(rig);
    await until('it is not claimed', async () => !(await rig.engine.claims.owners()).includes(rig.owner));
  });

  it('maintenance outlives a crash of whoever began it, and ends when the work has ended meanwhile', async (t) => {
    const rig = await setUpAvailable(t, api);
    await rig.order();
    const lease = await leased(rig);
    await rig.stop();
    assert.equal(rig.node().maintenance, true);
    const before = rig.ironic.requests.length;
    await rig.start();
    // Whoever is next knows that work goes on, and ends nothing.
    await until('the host is looked at again', () => rig.ironic.requests.length > before);
    await rig.stop();
    assert.equal(rig.node().maintenance, true);
    await end(rig, lease);
    await rig.start();
    await until('the maintenance has ended', () => !rig.node().maintenance);
  });

  it('no work begins while Ironic cannot be told, and it begins when it can', async (t) => {
    const rig = await setUpAvailable(t, api);
    await rig.ironic.stop();
    const ordered = await rig.order();
    await until('the host is asked to make way', async () => {
      return (await rig.engine.claims.get(rig.owner))?.turn === 'asked';
    });
    assert.equal(await rig.lease(), undefined);
    assert.equal((await reasonOf(rig, ordered))?.code, 'WaitsForTurn');
    await rig.stop();
    await rig.restartEngine();
    await rig.ironic.start();
    await rig.start();
    await leased(rig);
    assert.equal(rig.node().maintenance, true);
  });

  it('maintenance of ours whose record is lost is ended; that of an operator never is', async (t) => {
    const rig = await setUpAvailable(t, api);
    await rig.order();
    await leased(rig);
    await rig.stop();
    await rig.restartEngine('empty');
    assert.equal(rig.node().maintenance, true);
    await rig.start();
    await until('the maintenance has ended', () => !rig.node().maintenance);
    const byHand = { maintenance: true, maintenance_reason: 'a disk is being changed' };
    Object.assign(rig.node(), byHand);
    await rig.learn();
    await rig.order();
    const lease = await leased(rig);
    assert.equal(rig.node().maintenance_reason, byHand.maintenance_reason);
    await end(rig, lease);
    await until('the machine is given back', async () => {
      return (await rig.engine.claims.get(rig.owner))?.turn === 'theirs';
    });
    assert.deepEqual([rig.node().maintenance, rig.node().maintenance_reason], [true, byHand.maintenance_reason]);
  });

  it('the hold of an operator stays whatever becomes of the host', async (t) => {
    const rig = await setUpLock(t, api);
    await rig.learn();
    const byHand = { code: 'OnCall', message: 'do not touch, says Ana' };
    await rig.engine.machines.setHold(rig.host, byHand);
    await rig.start();
    await rig.makeHost();
    await rig.untilState('available');
    await rig.patchHost(provision);
    await rig.untilState('provisioned');
    const ordered = await rig.order();
    await rig.patchHost(deprovision);
    await rig.untilState('available');
    await until('the host is not in use', async () => (await rig.engine.claims.get(rig.owner))?.use === undefined);
    assert.equal((await reasonOf(rig, ordered))?.code, 'OnCall');
    assert.deepEqual((await rig.engine.machines.get(rig.host))?.hold, byHand);
    await rig.engine.machines.setHold(rig.host, undefined);
    await leased(rig);
  });
});
