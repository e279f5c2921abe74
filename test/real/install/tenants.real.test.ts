import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { home } from '../../../src/manifests/index.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import type { RunningComponent } from './component-processes.ts';
import { doLateWork } from './late-work.ts';
import * as life from './life.ts';
import type { Living } from './living.ts';
import { claimMachine } from './machine-life.ts';
import { leaveAlone } from './neighbour.ts';
import { openTenantWorld } from './tenant-world.ts';

const skip = whyNoRealKube();
/** Where the infra team keeps switches; a tenant; another one, whose controllers do not run. */
const [infra, tenant, neighbour] = ['infra', 'tenant', 'neighbour'] as const;
const tenants = [tenant, neighbour];
const namespaces = [infra, ...tenants];

// Each program that runs is ended with this process.
process.setMaxListeners(50);

const namesOf = (running: readonly RunningComponent[]) => running.map(({ name }) => name).toSorted();

// Most of it is waiting: side by side they take little longer than one.
describe('controllers of a tenant do their work with the rights in their namespace, and nothing elsewhere', {
  concurrency: true,
  ...(skip === undefined ? {} : { skip }),
}, () => {
  test('limited: machines take hosts that others look after, on ports that they may only read', async (context) => {
    const world = await openTenantWorld(context, { model: 'limited', namespaces, tenants });
    const [shared, own] = await Promise.all([world.start(home), world.start(tenant)]);
    assert.deepEqual(namesOf(shared), ['rackwright-hosts', 'rackwright-network', 'rackwright-webhooks']);
    assert.deepEqual(namesOf(own), ['rackwright-machines']);
    const living: Living = { ...world.living, objects: world.objectsIn(tenant), switchesIn: infra };
    const switches = { ...living, objects: world.objectsIn(infra) };
    await life.describeNetwork(switches);
    await life.allowNetworks(living);
    const alone = await leaveAlone(world.objectsIn(neighbour), 'machines');
    await life.registerHosts(living);
    await claimMachine(living);
    await life.untilPlugged(switches, `${tenant}/shop`);
    const roles = await switches.objects.list('Role', 'rbac.authorization.k8s.io/v1');
    const [role] = roles.filter(({ metadata }) => metadata?.name === `rackwright-tenant-ports-${tenant}`);
    assert.ok(role !== undefined, 'the tenant has a Role for its ports');
    assert.match(JSON.stringify(role), /"resourceNames":\[".+"\]/);
    await life.endMachines(living);
    assert.deepEqual(await alone.now(), alone.before);
    await world.end([...own, ...shared]);
    assert.deepEqual(world.forbiddenTo([...own, ...shared]), []);
    assert.deepEqual(world.usesOutside(own, [tenant]), []);
    await world.untilAllUsed(own);
  });

  test('full: hosts, network and machines live and end where they belong', async (context) => {
    const world = await openTenantWorld(context, { model: 'full', namespaces, tenants });
    const [shared, own] = await Promise.all([world.start(home), world.start(tenant)]);
    assert.deepEqual(namesOf(shared), ['rackwright-webhooks']);
    assert.deepEqual(namesOf(own), ['rackwright-hosts', 'rackwright-machines', 'rackwright-network']);
    const objects = world.objectsIn(tenant);
    const living: Living = { ...world.living, objects };
    const alone = await leaveAlone(world.objectsIn(neighbour), 'all');
    await life.describeNetwork(living);
    await life.registerHosts(living);
    const workWithMachines = async (): Promise<void> => {
      await claimMachine(living);
      await life.movePort(living);
      await life.updateLive(living);
    };
    await Promise.all([workWithMachines(), life.provisionByHand(living), life.discoverHost(living)]);
    await life.endAll(living);
    assert.deepEqual(await alone.now(), alone.before);
    await world.end(own);
    await doLateWork(own, objects, tenant);
    await world.end(shared);
    assert.deepEqual(world.forbiddenTo([...own, ...shared]), []);
    assert.deepEqual(world.usesOutside(own, [tenant]), []);
    await world.untilAllUsed(own);
  });
});
