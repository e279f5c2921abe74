import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeBmc, createTestBench, hostAt, plainRegistration, type TestBench } from '../testing/index.ts';

const messageOf = (outcome: object): string => ('message' in outcome ? String(outcome.message) : '');

test('a node gets name, driver, interfaces and how it boots, and a port', async (t) => {
  const bench = await createTestBench(t);
  const begun = await bench
    .at()
    .register({ ...plainRegistration, bootMode: 'UEFISecureBoot', architecture: 'aarch64' });
  assert.deepEqual(begun, { kind: 'continue', afterMs: 3000, hasStarted: true });
  const node = bench.ironic.node('metal3~host-1');
  assert.deepEqual(node.properties, { capabilities: 'boot_mode:uefi,secure_boot:true', cpu_arch: 'aarch64' });
  assert.deepEqual(
    [node.driver, node.boot_interface, node.firmware_interface, node.inspect_interface, node.automated_clean],
    ['redfish', 'ipxe', 'redfish', 'agent', true],
  );
  assert.deepEqual(
    bench.ironic.api.ports.map(({ address, node_uuid }) => [address, node_uuid]),
    [['52:54:00:00:00:01', node.uuid]],
  );
});

test('a host that is as it should be costs one request', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('available');
  const before = bench.ironic.requests.length;
  const outcome = await bench.at({ id: node.uuid }).register(plainRegistration);
  assert.deepEqual(outcome, { kind: 'done', value: { id: node.uuid } });
  assert.deepEqual(
    bench.ironic.requests.slice(before).map(({ line }) => line.replace(/\?.*/, '')),
    [`GET /v1/nodes/${node.uuid}`],
  );
});

test('only what differs is changed, and passwords are sent again only when they changed', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('available', { automated_clean: false });
  await bench.at().register({ ...plainRegistration, inspectionMode: 'fast' });
  const [change, ...more] = bench.changes();
  assert.deepEqual(more, []);
  assert.deepEqual(change?.body, [
    { op: 'add', path: '/automated_clean', value: true },
    { op: 'add', path: '/inspect_interface', value: 'redfish' },
  ]);
  await bench.at().register({ ...plainRegistration, inspectionMode: 'fast', haveCredentialsChanged: true });
  assert.deepEqual(bench.changes()[0]?.body, [
    { op: 'add', path: '/driver_info/redfish_password', value: 'right-password' },
  ]);
});

test('another address brings everything about the BMC anew', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('manageable');
  node.driver_info.redfish_verify_ca = false;
  node.driver_info.deploy_kernel = 'file:///by-hand';
  const other = createFakeBmc(2);
  const { bmc } = hostAt(other);
  await bench.at({ bmc }).register(plainRegistration);
  assert.deepEqual(node.driver_info, {
    redfish_address: other.redfishAddress,
    redfish_username: other.username,
    redfish_password: other.password,
    redfish_system_id: other.systemPath,
    deploy_kernel: 'file:///by-hand',
  });
});

test('a change of driver takes what the old one was told away', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('manageable');
  await bench.at({ bmc: { ...bench.host.bmc, address: 'ipmi://10.9.9.9' } }).register(plainRegistration);
  assert.equal(node.driver, 'ipmi');
  assert.deepEqual(Object.keys(node.driver_info).sort(), [
    'ipmi_address',
    'ipmi_password',
    'ipmi_port',
    'ipmi_priv_level',
    'ipmi_username',
  ]);
  assert.match(bench.changes()[0]?.line ?? '', /\?reset_interfaces=True$/);
});

test('a host in use keeps its interfaces', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', { inspect_interface: 'redfish', name: 'host-1' });
  const outcome = await bench.at().register(plainRegistration);
  assert.equal(outcome.kind, 'done');
  assert.deepEqual(
    bench.changes().map(({ body }) => body),
    [[{ op: 'add', path: '/name', value: 'metal3~host-1' }]],
  );
});

test('new credentials are not forgotten while Ironic works: it is asked again', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('clean wait', { target_provision_state: 'available' });
  assert.equal((await bench.at().register(plainRegistration)).kind, 'done');
  assert.equal((await bench.at().register({ ...plainRegistration, haveCredentialsChanged: true })).kind, 'busy');
});

test('new credentials of a host that is known are tried, and those that its BMC refuses are told, until they are right', async (t) => {
  const bench = await createTestBench(t);
  for (const state of ['manageable', 'available', 'active', 'deploy failed'] as const) {
    const node = await bench.node(state);
    const register = (password: string, more: object) =>
      bench
        .at({ bmc: { ...bench.host.bmc, credentials: { username: 'admin', password } } })
        .register({ ...plainRegistration, ...more });
    const refused = await register('wrong-password', { haveCredentialsChanged: true });
    assert.equal(refused.kind, 'failed');
    assert.match(messageOf(refused), /^Ironic cannot use the BMC: .*401/);
    assert.equal((await register('wrong-password', { isRetry: true })).kind, 'failed', 'it does not pass for good');
    const done = await register('right-password', { haveCredentialsChanged: true, isRetry: true });
    assert.deepEqual(done, { kind: 'done', value: { id: node.uuid } });
  }
});

async function discovered(bench: TestBench, name: string | null): Promise<string> {
  const body = { name, driver: 'fake-hardware' };
  const { value } = bench.ironic.api.handle('POST', '/v1/nodes', body);
  const { uuid } = value as { readonly uuid: string };
  bench.ironic.api.handle('POST', '/v1/ports', { node_uuid: uuid, address: bench.host.bootMacAddress });
  return uuid;
}

test('a node without a name that has the boot address is taken', async (t) => {
  const bench = await createTestBench(t);
  const uuid = await discovered(bench, null);
  const { id } = await bench.drive.done(() => bench.at().register(plainRegistration));
  assert.equal(id, uuid);
  assert.equal(bench.ironic.node('metal3~host-1').driver, 'redfish');
  assert.equal(bench.ironic.api.nodes.size, 1);
});

test('a node with a name that has the boot address is somebody else: nothing is changed', async (t) => {
  const bench = await createTestBench(t);
  await discovered(bench, 'elsewhere~other');
  const outcome = await bench.at().register(plainRegistration);
  assert.match(messageOf(outcome), /MAC address 52:54:00:00:00:01 conflicts with existing node elsewhere~other/);
  assert.equal(bench.ironic.api.nodes.size, 1);
});

test('a node of old with a bare name is taken at the same BMC only', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active', { name: 'host-1' });
  const { id } = await bench.drive.done(() => bench.at().register(plainRegistration));
  assert.equal(id, node.uuid);
  node.name = 'host-1';
  const other = createFakeBmc(2);
  await bench.drive.done(() => bench.provisioners.of(hostAt(other)).register(plainRegistration));
  assert.equal(bench.ironic.api.nodes.size, 2);
  assert.equal(node.name, 'host-1');
});

test('a node of old with a bare name is taken however it writes the address of the same BMC', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  const { redfishAddress, systemPath } = bench.bmc;
  const spellings: [string, string][] = [
    [`${redfishAddress}/`, systemPath],
    [redfishAddress.replace('http:', 'HTTP:'), `${systemPath}/`],
    [redfishAddress, systemPath.slice(1)],
  ];
  for (const [address, id] of spellings) {
    node.name = 'host-1';
    Object.assign(node.driver_info, { redfish_address: address, redfish_system_id: id });
    const done = await bench.drive.done(() => bench.at().register(plainRegistration));
    assert.deepEqual([done.id, node.name, bench.ironic.api.nodes.size], [node.uuid, 'metal3~host-1', 1], address);
  }
});

test('what a driver or an Ironic cannot do is told before anything is made', async (t) => {
  const bench = await createTestBench(t, { newestMinor: 94 });
  const { bmc } = bench.host;
  const ipmi = bench.at({ bmc: { ...bmc, address: 'ipmi://10.0.0.1' } });
  assert.match(messageOf(await ipmi.register({ ...plainRegistration, bootMode: 'UEFISecureBoot' })), /secure boot/);
  const libvirt = bench.at({ bmc: { ...bmc, address: 'libvirt://10.0.0.1' }, bootMacAddress: undefined });
  assert.match(messageOf(await libvirt.register(plainRegistration)), /requires a BootMACAddress value/);
  assert.match(
    messageOf(await bench.at({ isPowerOffDisabled: true }).register(plainRegistration)),
    /API 1\.95 is needed/,
  );
  assert.match(
    messageOf(await bench.at({ bmc: { ...bmc, address: 'x://y' } }).register(plainRegistration)),
    /Unknown BMC type/,
  );
  assert.equal(bench.ironic.api.nodes.size, 0);
});

test('where hosts get boot images of their own, one without it waits for that', async (t) => {
  const bench = await createTestBench(t, { bootImageFormats: ['iso', 'initrd'] });
  const waiting = await bench.drive.until(() => bench.at().register(plainRegistration));
  assert.deepEqual(waiting, { kind: 'needs-image' });
  const bootImage = { imageUrl: 'http://images/1.iso', format: 'iso', kernelParameters: 'ip=dhcp' } as const;
  await bench.drive.done(() => bench.at().register({ ...plainRegistration, bootImage }));
  const { driver_info } = bench.ironic.node('metal3~host-1');
  assert.deepEqual([driver_info.deploy_iso, driver_info.kernel_append_params], ['http://images/1.iso', 'ip=dhcp']);
});

test('where hosts get boot images of their own, nothing is waited for while nothing will be booted', async (t) => {
  const deployImages = { isoUrl: 'http://images/all.iso' };
  const bench = await createTestBench(t, { bootImageFormats: ['iso'], deployImages });
  await bench.drive.done(() => bench.at().register({ ...plainRegistration, isBootImageSpared: true }));
  assert.equal(bench.ironic.node('metal3~host-1').driver_info.deploy_iso, undefined, 'the image of all others');
});

test('the network of the boot image is told where nobody builds it in, and is not shown where it is none', async (t) => {
  const bench = await createTestBench(t);
  const bootNetworkData = 'links:\n- {id: eno1, type: phy}\n';
  await bench.drive.done(() => bench.at().register({ ...plainRegistration, bootNetworkData }));
  const node = bench.ironic.node('metal3~host-1');
  assert.deepEqual(node.network_data, { links: [{ id: 'eno1', type: 'phy' }] });
  bench.changes();
  await bench.drive.done(() => bench.at().register({ ...plainRegistration, bootNetworkData }));
  assert.deepEqual(bench.changes(), []);
  const message = messageOf(await bench.at().register({ ...plainRegistration, bootNetworkData: 'hunter2' }));
  assert.match(message, /preprovisioningNetworkData is neither/);
  assert.doesNotMatch(message, /hunter2/);
});

for (const way of ['detach', 'remove'] as const) {
  test(`maintenance that was left by a ${way} which Ironic refused ends when the host is registered again`, async (t) => {
    const bench = await createTestBench(t);
    const node = await bench.node('active', { power_state: 'power on' });
    const off = { target: 'off', mode: 'hard', isForced: false, isRetry: false } as const;
    bench.ironic.api.lock('metal3~host-1', 1);
    const { kind } = await (way === 'detach' ? bench.at().detach({ isForced: false }) : bench.at().remove());
    assert.deepEqual([kind, node.maintenance], ['busy', true]);
    assert.equal((await bench.at().setPower(off)).kind, 'busy');
    await bench.drive.done(() => bench.at().register(plainRegistration));
    assert.deepEqual([node.maintenance, node.maintenance_reason], [false, null]);
    assert.equal((await bench.at().setPower(off)).kind, 'continue');
  });
}

for (const reason of ['rackwright: a new BIOS is being written', 'the host is detached', 'do not touch', null]) {
  test(`registering leaves maintenance alone whose reason is ${reason ?? 'not told'}`, async (t) => {
    const bench = await createTestBench(t);
    const node = await bench.node('active', { maintenance: true, maintenance_reason: reason });
    await bench.drive.done(() => bench.at().register(plainRegistration));
    assert.deepEqual([node.maintenance, node.maintenance_reason], [true, reason]);
  });
}

test('a host that is not known does not become known while others work on its machine; one that is may go on', async (t) => {
  const bench = await createTestBench(t);
  const taken = { ...plainRegistration, isMachineTaken: true };
  const refused = await bench.at().register(taken);
  assert.deepEqual([refused.kind, messageOf(refused)], ['busy', 'others work on the machine']);
  assert.deepEqual(bench.changes(), []);
  const node = await bench.node('available');
  assert.deepEqual(await bench.at().register(taken), { kind: 'done', value: { id: node.uuid } });
});

test('a host that is registered by hand takes the node of the machine that came by itself, with all that it told', async (t) => {
  const bench = await createTestBench(t);
  const node = bench.ironic.api.discover(bench.bmc, { driver: 'fake-hardware', atMs: bench.clock.now() });
  const { id } = await bench.drive.done(() => bench.at().register(plainRegistration));
  assert.equal(id, node.uuid);
  const order = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
  bench.changes();
  assert.equal((await bench.at({ id }).inspect(order)).kind, 'done');
  assert.deepEqual(bench.changes(), [], 'it is not inspected again');
});

test('a node that was just made for a host makes way for the one that its machine brought meanwhile', async (t) => {
  const bench = await createTestBench(t);
  bench.ironic.api.handle('POST', '/v1/nodes', { name: 'metal3~host-1', driver: 'redfish' });
  const node = bench.ironic.api.discover(bench.bmc, { driver: 'manual-management', atMs: bench.clock.now() });
  const { id } = await bench.drive.done(() => bench.at().register(plainRegistration));
  assert.equal(id, node.uuid);
  assert.deepEqual([node.name, bench.ironic.api.nodes.size], ['metal3~host-1', 1]);
});
