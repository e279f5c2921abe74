import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gates } from '../../../bmc/index.ts';
import type { Deployment, Provisioner } from '../../provisioner.ts';
import type { IronicOptions } from '../index.ts';
import { createTestBench, type FakeNode, plainRegistration, type TestBench, targetsOf } from '../testing/index.ts';

const again = { isRetry: false };
const messageOf = (outcome: object): string => ('message' in outcome ? String(outcome.message) : '');
const image = { url: 'http://files/image.raw', checksum: 'abc', checksumType: 'sha256', format: 'raw' } as const;
const deployment: Deployment = { image, bootMode: 'UEFI' };
const provision = { ...again, deployment, config: {}, isForced: false };

interface Found {
  readonly bench: TestBench;
  readonly node: FakeNode;
  /** The host that discovery made of the machine: nothing is known of its BMC. */
  readonly host: Provisioner;
}

async function discover(
  t: Parameters<typeof createTestBench>[0],
  driver = 'manual-management',
  more: Partial<IronicOptions> = {},
): Promise<Found> {
  const deployImages = { kernelUrl: 'http://images/kernel', ramdiskUrl: 'http://images/ramdisk' };
  const bench = await createTestBench(t, { deployImages, ...more });
  const node = bench.ironic.api.discover(bench.bmc, { driver, atMs: bench.clock.now() });
  return { bench, node, host: bench.at({ id: node.uuid, isIdNoted: true, bmc: undefined }) };
}

const beat = ({ bench }: Found): void => bench.ironic.api.beat(bench.bmc, bench.clock.now());

async function imported(t: Parameters<typeof createTestBench>[0], driver?: string): Promise<Found> {
  const found = await discover(t, driver);
  await found.host.importHost?.(again);
  beat(found);
  await found.bench.drive.done(() => found.host.importHost?.(again) ?? assert.fail('cannot import'));
  return found;
}

for (const driver of ['manual-management', 'fake-hardware', 'redfish', 'ipmi']) {
  test(`a machine whose node came with the driver ${driver} is taken over, and nothing is done to it`, async (t) => {
    const { bench, node } = await imported(t, driver);
    assert.deepEqual(
      [node.name, node.driver, node.power_interface, node.deploy_interface, node.provision_state],
      ['metal3~host-1', 'manual-management', 'fake', 'direct', 'manageable'],
    );
    assert.deepEqual(node.driver_info, {
      deploy_kernel: 'http://images/kernel',
      deploy_ramdisk: 'http://images/ramdisk',
    });
    assert.equal(node.automated_clean, false);
    const changes = bench.changes();
    assert.deepEqual(targetsOf(changes), ['manage']);
    assert.equal(bench.bmc.isOn, true);
  });
}

test('what is imported is done at one look', async (t) => {
  const { bench, node, host } = await imported(t);
  bench.changes();
  assert.deepEqual(await host.importHost?.(again), { kind: 'done', value: { id: node.uuid } });
  assert.deepEqual(bench.changes(), []);
});

test('an agent that has told its inventory and is not heard from yet is waited for', async (t) => {
  const found = await discover(t, 'fake-hardware');
  assert.equal((await found.host.importHost?.(again))?.kind, 'continue');
  assert.deepEqual(targetsOf(found.bench.changes()), [], 'Ironic would say that the agent is offline');
  beat(found);
  await found.bench.drive.done(() => found.host.importHost?.(again) ?? assert.fail());
});

test('a machine whose agent is gone is not taken over, and is once it is heard from again', async (t) => {
  const found = await discover(t);
  beat(found);
  found.bench.clock.advance(301_000);
  const outcome = await found.host.importHost?.(again);
  assert.equal(outcome?.kind, 'failed');
  assert.match(messageOf(outcome ?? {}), /boot it from the network .* or set spec\.bmc/);
  beat(found);
  await found.bench.drive.done(() => found.host.importHost?.({ isRetry: true }) ?? assert.fail());
});

/** A machine that Ironic knows how to reach, by an inspection rule for example. */
async function discoverWithAccess(t: Parameters<typeof createTestBench>[0]): Promise<Found> {
  const found = await discover(t, 'redfish');
  const { redfishAddress, systemPath, username, password } = found.bench.bmc;
  Object.assign(found.node.driver_info, {
    redfish_address: redfishAddress,
    redfish_system_id: systemPath,
    redfish_username: username,
    redfish_password: password,
  });
  return found;
}

test('a machine that Ironic knows how to reach keeps its driver', async (t) => {
  const { bench, node, host } = await discoverWithAccess(t);
  await bench.drive.done(() => host.importHost?.(again) ?? assert.fail());
  assert.deepEqual([node.driver, node.provision_state], ['redfish', 'manageable']);
});

for (const byDefault of [null, true]) {
  test(`a machine that Ironic can reach is not cleaned when it becomes available (automated_clean: ${byDefault})`, async (t) => {
    const { bench, node, host } = await discoverWithAccess(t);
    node.automated_clean = byDefault;
    await bench.drive.done(() => host.importHost?.(again) ?? assert.fail());
    await bench.drive.done(() => host.prepare({ ...again, isWanted: true }));
    assert.deepEqual([node.provision_state, node.automated_clean], ['available', false]);
    assert.equal(bench.bmc.isOn, true);
    assert.ok(bench.changes().every(({ line }) => !line.endsWith('/states/power')));
  });

  test(`nor when its credentials come before it is imported, until what we deployed is taken off (${byDefault})`, async (t) => {
    const { bench, node } = await discover(t);
    node.automated_clean = byDefault;
    const noted = bench.at({ id: node.uuid, isIdNoted: true });
    const order = { ...plainRegistration, isDiscovered: true } as const;
    await bench.drive.done(({ hasStarted }) => noted.register({ ...order, haveCredentialsChanged: !hasStarted }));
    const host = bench.at({ id: node.uuid });
    await bench.drive.done(() => host.prepare({ ...again, isWanted: true }));
    await bench.drive.done(() => host.register(order));
    assert.deepEqual([node.provision_state, node.automated_clean], ['available', false]);
    await bench.drive.done(() => host.provision(provision));
    await bench.drive.done(() => host.register(order));
    assert.deepEqual([node.provision_state, node.automated_clean], ['active', false]);
    await bench.drive.done(() => host.deprovision({ ...again, cleaningMode: 'metadata' }));
    await bench.drive.done(() => host.register(order));
    assert.deepEqual([node.provision_state, node.automated_clean], ['available', true]);
  });
}

test('a failed deployment of a machine that Ironic cannot reach is given up without cleaning it', async (t) => {
  const { bench, node, host } = await imported(t);
  Object.assign(node, { provision_state: 'deploy failed' });
  await bench.drive.done(() => host.deprovision({ ...again, cleaningMode: 'metadata' }));
  assert.deepEqual([node.provision_state, node.automated_clean], ['available', false]);
});

test('a host whose BMC is known only gets its node named: registering does the rest', async (t) => {
  const { bench, node } = await discover(t);
  const outcome = await bench.at({ id: node.uuid }).importHost?.(again);
  assert.deepEqual(outcome, { kind: 'done', value: { id: node.uuid } });
  assert.deepEqual(
    bench.changes().map(({ body }) => body),
    [
      [
        { op: 'add', path: '/name', value: 'metal3~host-1' },
        { op: 'add', path: '/automated_clean', value: false },
      ],
    ],
  );
});

/** What makes a node that of somebody else. */
const foreign: Readonly<Record<string, Partial<FakeNode>>> = {
  'with the name of another host': { name: 'metal3~other' },
  'in use without a name': { provision_state: 'active' },
  'that somebody is about to deploy': { provision_state: 'wait call-back' },
  'whose deployment failed': { provision_state: 'deploy failed' },
  'that somebody cleans': { provision_state: 'clean wait' },
  'that somebody made manageable': { provision_state: 'manageable' },
  'that somebody made available': { provision_state: 'available' },
  'that an instance has reserved': { instance_uuid: 'e6a3c1f0-0000-4000-8000-000000000001' },
  'that an allocation has': { allocation_uuid: 'e6a3c1f0-0000-4000-8000-000000000002' },
  'with an owner': { owner: 'project-7' },
  'with a lessee': { lessee: 'project-8' },
  'that was retired': { retired: true },
};

for (const [what, claim] of Object.entries(foreign)) {
  test(`a node ${what} is neither imported nor registered nor detached nor removed by an id that was noted`, async (t) => {
    const { bench, node, host } = await discover(t);
    Object.assign(node, claim);
    const before = structuredClone(node);
    const registered = bench.at({ id: node.uuid, isIdNoted: true });
    for (const isRetry of [false, true]) {
      for (const outcome of [
        await host.importHost?.({ isRetry }),
        await registered.register({ ...plainRegistration, isRetry, haveCredentialsChanged: true }),
      ]) {
        assert.equal(outcome?.kind, 'failed');
        assert.match(messageOf(outcome ?? {}), /metal3~other|somebody|is retired/);
      }
    }
    for (const each of [host, registered]) {
      assert.equal((await each.detach({ isForced: true })).kind, 'done');
      assert.equal((await each.deprovision({ ...again, cleaningMode: 'metadata' })).kind, 'unregistered');
      assert.equal((await each.remove()).kind, 'done');
    }
    assert.deepEqual(bench.changes(), []);
    assert.deepEqual(bench.ironic.api.nodes.get(node.uuid), before);
  });

  test(`a node ${what} is not taken by the address that it boots from`, async (t) => {
    const { bench, node } = await discover(t);
    Object.assign(node, claim);
    const order = { ...plainRegistration, haveCredentialsChanged: true };
    for (const outcome of [await bench.at({ bmc: undefined }).importHost?.(again), await bench.at().register(order)]) {
      assert.equal(outcome?.kind, 'failed');
      assert.match(messageOf(outcome ?? {}), /conflicts with existing node/);
    }
    assert.deepEqual(bench.changes(), []);
  });
}

for (const how of ['detach', 'remove'] as const) {
  test(`the untouched node of a host that was never imported goes with it (${how})`, async (t) => {
    const { bench, host } = await discover(t);
    assert.equal((await (how === 'detach' ? host.detach({ isForced: true }) : host.remove())).kind, 'done');
    assert.equal(bench.ironic.api.nodes.size, 0);
  });

  test(`a node that got the name of the host goes with it, though the id that was noted is another's (${how})`, async (t) => {
    const { bench, node, host } = await discover(t);
    Object.assign(node, { name: 'metal3~other' });
    const own = bench.ironic.api.discover(bench.bmc, { driver: 'manual-management', atMs: bench.clock.now() });
    Object.assign(own, { name: 'metal3~host-1', provision_state: 'manageable' });
    assert.equal((await (how === 'detach' ? host.detach({ isForced: true }) : host.remove())).kind, 'done');
    assert.deepEqual([...bench.ironic.api.nodes.keys()], [node.uuid]);
  });
}

test('a host that was taken in under an id keeps its node when somebody renames that', async (t) => {
  const { bench, node } = await imported(t);
  node.name = 'renamed';
  const { id } = await bench.drive.done(() => bench.at({ id: node.uuid }).register(plainRegistration));
  assert.deepEqual([id, node.name], [node.uuid, 'metal3~host-1']);
});

test('a node that Ironic forgot is not known, and the one that was made anew for the machine is taken', async (t) => {
  const { bench, node, host } = await discover(t);
  bench.ironic.api.handle('DELETE', `/v1/nodes/${node.uuid}`, undefined);
  assert.deepEqual(await host.importHost?.(again), { kind: 'unregistered' });
  const anew = bench.ironic.api.discover(bench.bmc, { driver: 'manual-management', atMs: bench.clock.now() });
  bench.ironic.api.beat(bench.bmc, bench.clock.now());
  const { id } = await bench.drive.done(() => host.importHost?.(again) ?? assert.fail());
  assert.equal(id, anew.uuid);
});

test('an Ironic without the driver for that says so', async (t) => {
  const { bench, host } = await discover(t, 'fake-hardware');
  bench.ironic.api.drivers.delete('manual-management');
  const outcome = await host.importHost?.(again);
  assert.equal(outcome?.kind, 'failed');
  assert.match(messageOf(outcome ?? {}), /manual-management/);
});

test('its power is not known, and its inventory is', async (t) => {
  const { host } = await imported(t);
  const seen = await host.look();
  assert.ok(seen.kind === 'done');
  assert.equal(seen.value.isPoweredOn, undefined);
  const inventory = await host.readInventory();
  assert.ok(inventory.kind === 'done');
  assert.equal(inventory.value?.ramMebibytes, 16_384);
});

test('it becomes available without being cleaned, and gets its image from the agent', async (t) => {
  const found = await imported(t);
  const { bench, node, host } = found;
  const prepare = { ...again, isWanted: true };
  await bench.drive.done(() => host.prepare(prepare));
  assert.equal(node.provision_state, 'available');
  await bench.drive.done(() => host.provision(provision));
  assert.deepEqual([node.provision_state, bench.bmc.disk], ['active', image.url]);
  assert.deepEqual(targetsOf(bench.changes()), ['manage', 'provide', 'active']);
});

test('nothing is begun on it while its agent is not heard from', async (t) => {
  const { bench, node, host } = await imported(t);
  await bench.drive.done(() => host.prepare({ ...again, isWanted: true }));
  bench.changes();
  bench.clock.advance(301_000);
  assert.equal((await host.provision(provision)).kind, 'failed');
  assert.deepEqual([node.provision_state, bench.changes()], ['available', []]);
});

test('a deployment that failed is given up first, and waits for an agent that is booted anew', async (t) => {
  const found = await imported(t);
  const { bench, node, host } = found;
  await bench.drive.done(() => host.prepare({ ...again, isWanted: true }));
  bench.ironic.api.fail('metal3~host-1', { target: 'active', reason: 'the disk is broken' });
  assert.match(messageOf(await bench.drive.until(() => host.provision(provision))), /the disk is broken/);
  // As Ironic does when it gives up a machine.
  Object.assign(node, { driver_internal_info: {}, power_state: 'power off' });
  const retry = await bench.drive.until(({ hasStarted }) => host.provision({ ...provision, isRetry: !hasStarted }));
  assert.match(messageOf(retry), /boot it from the network/);
  beat(found);
  await bench.drive.done(() => host.provision(provision));
  assert.equal(bench.bmc.disk, image.url);
});

test('what runs on it is not taken off, and it can be forgotten', async (t) => {
  const { bench, node, host } = await imported(t);
  node.provision_state = 'active';
  bench.changes();
  const outcome = await host.deprovision({ ...again, cleaningMode: 'disabled' });
  assert.equal(outcome.kind, 'failed');
  assert.match(messageOf(outcome), /set spec\.bmc, or delete the host/);
  assert.deepEqual(bench.changes(), []);
  assert.equal((await host.remove()).kind, 'done');
  assert.equal(bench.ironic.api.nodes.size, 0);
});

test('firmware is not changed on it', async (t) => {
  const { host } = await imported(t);
  const outcome = await host.prepare({ ...again, isWanted: true, settings: { ProcTurboMode: 'Disabled' } });
  assert.match(messageOf(outcome), /firmware cannot be changed without its BMC/);
});

for (const state of ['enroll', 'manageable', 'available', 'active'] as const) {
  test(`credentials that come later make a machine in ${state} managed, and nothing is done to it`, async (t) => {
    const { bench, node } = await imported(t);
    Object.assign(node, { provision_state: state, last_error: 'Failed to get power state: it was silent' });
    bench.changes();
    const { id } = await bench.drive.done(({ hasStarted }) =>
      bench.at({ id: node.uuid }).register({ ...plainRegistration, haveCredentialsChanged: !hasStarted }),
    );
    assert.equal(id, node.uuid);
    assert.deepEqual(
      [node.driver, node.power_interface, node.raid_interface, node.boot_interface, node.deploy_interface],
      ['redfish', 'redfish', 'redfish', 'ipxe', 'direct'],
    );
    assert.equal(node.driver_info.redfish_username, bench.bmc.username);
    assert.deepEqual([node.provision_state, node.maintenance], [state === 'enroll' ? 'manageable' : state, false]);
    const changes = bench.changes();
    assert.deepEqual(targetsOf(changes), state === 'enroll' ? ['manage'] : []);
    assert.ok(changes.every(({ line }) => !line.endsWith('/states/power')));
    const inventory = await bench.at({ id: node.uuid }).readInventory();
    assert.ok(inventory.kind === 'done' && inventory.value !== undefined, 'what it told is still there');
  });
}

test('credentials that the BMC refuses are told also for a machine in use, which goes on', async (t) => {
  const { bench, node } = await imported(t);
  node.provision_state = 'active';
  const register = (password: string) =>
    bench
      .at({ id: node.uuid, bmc: { ...bench.host.bmc, credentials: { username: 'admin', password } } })
      .register({ ...plainRegistration, haveCredentialsChanged: true });
  assert.match(messageOf(await register('wrong-password')), /401/);
  assert.equal((await register('right-password')).kind, 'done');
  assert.deepEqual([node.provision_state, node.maintenance], ['active', false]);
});

for (const when of ['before', 'after']) {
  test(`a change of driver that ended ${when} it was made is brought to its end`, async (t) => {
    const { bench, node } = await imported(t);
    const register = () => bench.drive.done(() => bench.at({ id: node.uuid }).register(plainRegistration));
    if (when === 'after') await register();
    const maintenance_reason = 'rackwright: the host gets access to its BMC';
    Object.assign(node, { provision_state: 'active', maintenance: true, maintenance_reason });
    await register();
    assert.deepEqual([node.driver, node.maintenance], ['redfish', false]);
  });
}

test('the maintenance of an operator outlasts a change of driver', async (t) => {
  const { bench, node } = await imported(t);
  Object.assign(node, { provision_state: 'active', maintenance: true, maintenance_reason: 'do not touch' });
  await bench.drive.done(() => bench.at({ id: node.uuid }).register(plainRegistration));
  assert.deepEqual([node.driver, node.maintenance, node.maintenance_reason], ['redfish', true, 'do not touch']);
});

/** BMCs that all say the same of their machine. */
function bmcsTelling(system: Readonly<Record<string, string>>, asked: string[] = []): IronicOptions['bmcs'] {
  const request = async ({ path = '' }: { readonly path?: string }) => {
    asked.push(path);
    return { status: 200, headers: {}, body: system };
  };
  return {
    gates: { open: ({ origin }) => ({ origin, request }) as never, states: [], close: async () => {} } as Gates,
  };
}

const marks = { macs: [], serialNumber: 'SN-A' };
const late = { ...plainRegistration, isDiscovered: true, haveCredentialsChanged: true } as const;

for (const state of ['enroll', 'manageable', 'available', 'active'] as const) {
  test(`credentials of another machine's BMC are refused for a machine in ${state}, and nothing is changed`, async (t) => {
    const { bench, node } = await discover(t, 'manual-management', { bmcs: bmcsTelling({ SerialNumber: 'SN-B' }) });
    Object.assign(node, { name: 'metal3~host-1', provision_state: state });
    const before = structuredClone(node);
    for (const isRetry of [false, true]) {
      const order = { ...late, isRetry, haveCredentialsChanged: !isRetry };
      const outcome = await bench.at({ id: node.uuid, marks }).register(order);
      assert.equal(outcome.kind, 'failed');
      assert.match(messageOf(outcome), /another machine: that has serial number SN-B, and .* serial number SN-A/);
    }
    assert.deepEqual(bench.changes(), []);
    assert.deepEqual(bench.ironic.api.nodes.get(node.uuid), before);
  });
}

test('an address that changes alone is compared too', async (t) => {
  const { bench, node } = await discover(t, 'manual-management', { bmcs: bmcsTelling({ SerialNumber: 'SN-B' }) });
  Object.assign(node, { name: 'metal3~host-1', provision_state: 'active' });
  const outcome = await bench.at({ id: node.uuid, marks }).register({ ...late, haveCredentialsChanged: false });
  assert.match(messageOf(outcome), /another machine/);
});

test('credentials of its own BMC are taken, and the BMC is asked once', async (t) => {
  const asked: string[] = [];
  const bmcs = bmcsTelling({ SerialNumber: 'BOARD', SKU: 'SN-A' }, asked);
  const { bench, node } = await discover(t, 'manual-management', { bmcs });
  Object.assign(node, { name: 'metal3~host-1', provision_state: 'active' });
  const host = bench.at({ id: node.uuid, marks });
  await bench.drive.done(({ hasStarted }) => host.register({ ...late, haveCredentialsChanged: !hasStarted }));
  assert.equal(node.driver, 'redfish');
  const before = asked.length;
  await bench.drive.done(() => host.register({ ...late, haveCredentialsChanged: false }));
  assert.deepEqual([before, asked.length], [1, 1]);
});

test('a host that somebody registered is not compared', async (t) => {
  const { bench } = await discover(t, 'manual-management', { bmcs: bmcsTelling({ SerialNumber: 'SN-B' }) });
  await bench.drive.done(() => bench.at({ marks }).register(plainRegistration));
});
