import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, Servicing } from '../../provisioner.ts';
import { ourReason } from '../node/index.ts';
import { createTestBench, targetsOf } from '../testing/index.ts';

const settings = { ProcTurboMode: 'Disabled' };
const bios = { component: 'bios', url: 'http://files/bios-1.1.0' };
const service: Servicing = { ticket: 'one', isSpecified: true, settings };
const deployment: Deployment = {
  image: { url: 'http://files/image', checksum: 'abc', checksumType: 'sha512', format: 'raw' },
  rootDeviceHints: { deviceName: '/dev/sda', minSizeGigabytes: 10 },
  bootMode: 'UEFISecureBoot',
};
const provision = { isRetry: false, isForced: false, deployment, config: {} };
const deprovision = { isRetry: false, cleaningMode: 'metadata' } as const;
const failure = {
  last_error: 'it went wrong',
  maintenance: true,
  maintenance_reason: 'it went wrong',
  fault: 'service failure',
};

const messageOf = (outcome: object): string => ('message' in outcome ? String(outcome.message) : '');

test('a node that is locked is busy, and the work is done when it is free', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  bench.ironic.api.lock('metal3~host-1', 2);
  const first = await bench.at().service(service);
  assert.equal(first.kind, 'busy');
  await bench.drive.done(() => bench.at().service(service));
  assert.equal(bench.bmc.bios.get('ProcTurboMode'), 'Disabled');
});

/** What was asked of Ironic about power and provision states, in order. */
const askedOf = (changes: readonly { readonly line: string; readonly body: unknown }[]) =>
  changes.flatMap(({ line, body }) =>
    /states\/(power|provision)$/.test(line) ? [(body as { readonly target: string }).target] : [],
  );
const running = { power_state: 'power on' };

test('a host that is on is shut down before it is serviced, and the limit is said', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', running);
  bench.bmc.isOn = true;
  const first = await bench.at().service(service);
  assert.match(first.kind === 'continue' ? (first.progress ?? '') : '', /shut down; .* longer than 3 minutes/);
  await bench.drive.done(() => bench.at().service(service));
  assert.deepEqual(askedOf(bench.changes()), ['soft power off', 'service']);
  assert.equal(bench.bmc.bios.get('ProcTurboMode'), 'Disabled');
});

test('a system that does not shut down loses its power once, after the limit', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', running);
  Object.assign(bench.bmc, { isOn: true, ignoresSoftPowerOff: true });
  const said: string[] = [];
  await bench.drive.done(async () => {
    const outcome = await bench.at().service(service);
    if (outcome.kind === 'continue' && outcome.progress !== undefined) said.push(outcome.progress);
    return outcome;
  });
  assert.ok(
    said.some((each) => /did not shut down within 3 minutes; its power is cut/.test(each)),
    said.join('\n'),
  );
  assert.deepEqual(askedOf(bench.changes()), ['soft power off', 'power off', 'service']);
});

for (const [what, order, host] of [
  ['that is to be rebooted hard', { ...service, shutdown: 'hard' }, {}],
  ['that must not be switched off', service, { isPowerOffDisabled: true }],
] as const) {
  test(`a host ${what} is serviced as it is`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node('active', running);
    bench.bmc.isOn = true;
    await bench.drive.done(() => bench.at(host).service(order));
    assert.deepEqual(askedOf(bench.changes()), ['service']);
  });
}

test('the step that Ironic is at is said while a host is serviced', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  await bench.at().service(service);
  const args = { settings: [{ component: 'bios', url: bios.url }] };
  Object.assign(node, { service_step: { interface: 'firmware', step: 'update', args } });
  const said = new Set<string | undefined>();
  await bench.drive.done(async () => {
    const outcome = await bench.at().service(service);
    if (outcome.kind === 'continue') said.add(outcome.progress);
    return outcome;
  });
  assert.deepEqual([...said], ['Ironic is at firmware.update of bios']);
});

test('a service that failed is told of, and on the next attempt begun again with all of it', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  bench.ironic.api.fail('metal3~host-1', { target: 'service', reason: 'the BIOS said no' });
  const failed = await bench.drive.until(() => bench.at().service(service));
  const serviced = { settings: {}, updates: [], left: { settings, updates: [] } };
  assert.deepEqual(failed, { kind: 'failed', message: 'the BIOS said no', serviced });
  assert.equal(bench.ironic.node('metal3~host-1').maintenance, true);
  await bench.drive.done(() => bench.at().service({ ...service, ticket: 'two' }));
  assert.equal(bench.ironic.node('metal3~host-1').maintenance, false);
  assert.equal(bench.bmc.bios.get('ProcTurboMode'), 'Disabled');
});

for (const state of ['service wait', 'service failed'] as const) {
  test(`a service whose owner wants it no more is given up in ${state}`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node(state, { ...failure, target_provision_state: 'active' });
    await bench.drive.done(() => bench.at().service({ ticket: 'one', isSpecified: false }));
    assert.deepEqual(targetsOf(bench.changes()), ['abort']);
    assert.equal(bench.ironic.node('metal3~host-1').provision_state, 'active');
  });

  test(`a host in ${state} is deprovisioned`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node(state, { ...failure, target_provision_state: 'active' });
    await bench.drive.done(() => bench.at().deprovision(deprovision));
    assert.deepEqual(targetsOf(bench.changes()), ['abort', 'deleted']);
  });

  test(`a host in ${state} is removed`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node(state, { ...failure, target_provision_state: 'active' });
    await bench.drive.done(() => bench.at().remove());
    assert.equal(bench.ironic.api.nodes.size, 0);
  });
}

test('a retry with nothing left to change ends the failed service instead of going round', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('service failed', failure);
  await bench.drive.done(() => bench.at().service({ ticket: 'two', isSpecified: true }));
  assert.deepEqual(targetsOf(bench.changes()), ['abort']);
});

test('a service is made once for each attempt, also where the request got lost or the one who asked forgot', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  const updates = [{ component: 'bios', url: 'http://files/bios-1.1.0' }];
  await bench.at().service({ ...service, updates });
  // Whoever comes after knows only by the name of the attempt; what is wanted may be another by then.
  const again = { ticket: 'one', isSpecified: true, settings: { ProcTurboMode: 'Enabled' } };
  const serviced = await bench.drive.done(() => bench.at().service(again));
  assert.deepEqual(serviced, { settings, updates });
  assert.deepEqual(targetsOf(bench.changes()), ['service']);
  assert.equal((await bench.at().service(again)).kind, 'done');
  assert.deepEqual(targetsOf(bench.changes()), [], 'what has ended is not begun again');
  await bench.drive.done(() => bench.at().service({ ...again, ticket: 'two' }));
  assert.deepEqual(targetsOf(bench.changes()), ['service']);
  assert.equal(bench.bmc.bios.get('ProcTurboMode'), 'Enabled');
});

test('a service that was noted and never asked for is asked for', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active', { maintenance: true, maintenance_reason: 'x' });
  await bench.at().service(service);
  assert.ok('rackwright_service' in (node.extra as object), 'Ironic refused it after it was noted');
  Object.assign(node, { maintenance: false, maintenance_reason: null });
  bench.changes();
  await bench.drive.done(() => bench.at().service(service));
  assert.deepEqual(targetsOf(bench.changes()), ['service']);
});

test('the failure of an attempt is told for that attempt only', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  bench.ironic.api.fail('metal3~host-1', { target: 'service', reason: 'the BIOS said no' });
  assert.equal((await bench.drive.until(() => bench.at().service(service))).kind, 'failed');
  assert.equal((await bench.at().service(service)).kind, 'failed', 'it is the same however often it is asked');
  assert.equal((await bench.at().service({ ...service, ticket: 'two' })).kind, 'continue');
});

test('a service is given up once Ironic is done with the host, which it restarts after all', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active', { reservation: 'conductor', power_state: 'power off' });
  const givenUp = { ticket: 'one', isSpecified: false };
  assert.equal((await bench.at().service(givenUp)).kind, 'continue');
  Object.assign(node, { reservation: null, power_state: 'power on' });
  assert.equal((await bench.at().service(givenUp)).kind, 'done');
  assert.deepEqual(bench.changes(), []);
});

test('a service that Ironic ended before it could be given up is told of, however often it is asked', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  const order = { ...service, updates: [bios] };
  await bench.at().service(order);
  // Each look finds the node one state further: it waits, and then goes on with its last step.
  for (const state of ['service wait', 'servicing'])
    while (node.provision_state !== state) await bench.at().service(order);
  for (const look of ['once', 'again']) {
    const told = await bench.drive.done(() => bench.at().service({ ticket: 'one', isSpecified: false }));
    assert.deepEqual(told, { settings, updates: [bios] }, look);
  }
  const another = await bench.drive.done(() => bench.at().service({ ticket: 'two', isSpecified: false }));
  assert.deepEqual(another, { settings: {}, updates: [] });
  assert.deepEqual(targetsOf(bench.changes()), ['service']);
});

for (const state of ['service wait', 'service failed'] as const) {
  test(`nothing is called made of a service that is given up in ${state}`, async (t) => {
    const bench = await createTestBench(t);
    const extra = { rackwright_service: { ticket: 'one', since: 'active since ever', settings, updates: [bios] } };
    const broken = state === 'service failed' ? failure : {};
    await bench.node(state, { ...broken, extra, target_provision_state: 'active' });
    const told = await bench.drive.done(() => bench.at().service({ ticket: 'one', isSpecified: false }));
    assert.deepEqual(told, { settings: {}, updates: [], left: { settings, updates: [bios] } });
    assert.deepEqual(targetsOf(bench.changes()), ['abort']);
  });
}

test('an Ironic that cannot service says so at every look, and is of use otherwise', async (t) => {
  const bench = await createTestBench(t, { newestMinor: 86 });
  await bench.node('active', { power_state: 'power on' });
  const seen = await bench.drive.done(() => bench.at().look());
  assert.match(seen.serviceProblem ?? '', /API 1\.86, and live updates need 1\.87/);
  const newer = await createTestBench(t, { newestMinor: 87 });
  await newer.node('active');
  assert.equal((await newer.drive.done(() => newer.at().look())).serviceProblem, undefined);
});

test('maintenance that an operator began is not ended by a service', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', { maintenance: true, maintenance_reason: 'do not touch' });
  assert.match(messageOf(await bench.at().service(service)), /maintenance mode/);
  assert.equal(bench.ironic.node('metal3~host-1').maintenance, true);
  await bench.drive.done(() => bench.at().setMaintenance(undefined));
  assert.equal(bench.ironic.node('metal3~host-1').maintenance, true);
});

test('maintenance that an operator began stays theirs while we work on the host', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active', { maintenance: true, maintenance_reason: 'do not touch' });
  await bench.drive.done(() => bench.at().setMaintenance('a new BIOS is being written'));
  await bench.drive.done(() => bench.at().setMaintenance(undefined));
  assert.deepEqual([node.maintenance, node.maintenance_reason], [true, 'do not touch']);
  Object.assign(node, { maintenance: false, maintenance_reason: null });
  await bench.drive.done(() => bench.at().setMaintenance('a new BIOS is being written'));
  await bench.drive.done(() => bench.at().setMaintenance('another BIOS is being written'));
  assert.match(node.maintenance_reason ?? '', /another BIOS/);
  await bench.drive.done(() => bench.at().setMaintenance(undefined));
  assert.deepEqual([node.maintenance, node.maintenance_reason], [false, null]);
});

test('a node that Ironic works on is not put into maintenance for work beside it', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('clean wait', { target_provision_state: 'available' });
  const answer = await bench.at().setMaintenance('a new BIOS is being written');
  assert.equal(answer.kind, 'busy');
  assert.equal(node.maintenance, false);
});

test('cleaning is not broken off by removing a host while others work on it', async (t) => {
  const bench = await createTestBench(t);
  const reason = { maintenance: true, maintenance_reason: ourReason('a new BIOS is being written') };
  await bench.node('clean wait', { target_provision_state: 'available', ...reason });
  assert.equal((await bench.at().remove()).kind, 'busy');
  assert.deepEqual(targetsOf(bench.changes()), []);
});

test('a deployment is told everything, with a config drive', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('available', { properties: { capabilities: 'cpu_vt:true,boot_mode:bios' } });
  const config = { userData: '#cloud-config', metaData: 'name: mine', networkData: '{"links": []}' };
  await bench.drive.done(() => bench.at().provision({ ...provision, config }));
  assert.deepEqual(node.instance_info, {
    image_source: 'http://files/image',
    image_os_hash_algo: 'sha512',
    image_os_hash_value: 'abc',
    image_disk_format: 'raw',
    root_device: { name: 's== /dev/sda', size: '>= 10' },
    capabilities: { boot_mode: 'uefi', secure_boot: 'true' },
  });
  assert.equal(node.properties.capabilities, 'boot_mode:uefi,secure_boot:true,cpu_vt:true');
  const wish = bench.changes().find(({ line }) => line.endsWith('/states/provision'));
  assert.deepEqual(wish?.body, {
    target: 'active',
    configdrive: {
      user_data: '#cloud-config',
      network_data: { links: [] },
      meta_data: {
        uuid: node.uuid,
        'metal3-namespace': 'metal3',
        'metal3-name': 'host-1',
        'local-hostname': 'host-1',
        local_hostname: 'host-1',
        name: 'mine',
      },
    },
  });
});

test('each way of deploying gets its interface, and the next one its own again', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('available');
  const deploy = async (wanted: Deployment) => {
    await bench.drive.done(() => bench.at().provision({ ...provision, deployment: wanted }));
    const seen = [node.deploy_interface, node.instance_info.boot_iso];
    await bench.drive.done(() => bench.at().deprovision(deprovision));
    return seen;
  };
  const live = { image: { url: 'http://files/live.iso', format: 'live-iso' }, bootMode: 'UEFI' } as const;
  assert.deepEqual(await deploy(live), ['ramdisk', 'http://files/live.iso']);
  assert.deepEqual(await deploy({ customDeploy: { method: 'install_it' }, bootMode: 'UEFI' }), [
    'custom-agent',
    undefined,
  ]);
  const steps = bench.changes().flatMap(({ body }) => (body as { deploy_steps?: unknown }).deploy_steps ?? []);
  assert.deepEqual(steps, [{ interface: 'deploy', step: 'install_it', args: {}, priority: 80 }]);
  assert.deepEqual(await deploy(deployment), ['direct', undefined]);
});

test('what cannot be deployed is told before it is tried', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('available');
  const bare = { image: { url: 'http://files/image' }, bootMode: 'UEFI' } as const;
  const invalid = await bench.at().provision({ ...provision, deployment: bare });
  assert.deepEqual(invalid, { kind: 'failed', message: 'host validation error: no usable image' });
  const config = { networkData: 'secret: [broken' };
  const unreadable = await bench.at().provision({ ...provision, config });
  assert.match(messageOf(unreadable), /the networkData is neither a YAML nor a JSON mapping/);
  assert.doesNotMatch(messageOf(unreadable), /secret: \[/);
  assert.deepEqual(targetsOf(bench.changes()), []);
});

test('a deployment that failed is told of, unless another image is wanted now', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('deploy failed', {
    last_error: 'no disk',
    instance_info: { image_source: 'http://files/image' },
  });
  assert.deepEqual(await bench.at().provision(provision), {
    kind: 'failed',
    message: 'Image provisioning failed: no disk',
  });
  const other = { ...deployment, image: { url: 'http://files/other', checksum: 'x' } };
  await bench.drive.done(() => bench.at().provision({ ...provision, deployment: other }));
  assert.equal(node.instance_info.image_source, 'http://files/other');
});

test('a failure whose reason Ironic dropped is told from its history', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('deploy failed', {
    last_error: null,
    instance_info: { image_source: 'http://files/image' },
  });
  bench.ironic.api.history.set(node.uuid, [
    { event: 'the disk is full', severity: 'ERROR', created_at: '2026-01-02T00:00:00+00:00' },
    { event: 'an older one', severity: 'ERROR', created_at: '2026-01-01T00:00:00+00:00' },
    { event: 'power on', severity: 'INFO', created_at: '2026-01-03T00:00:00+00:00' },
  ]);
  assert.equal(messageOf(await bench.at().provision(provision)), 'Image provisioning failed: the disk is full');
  node.reservation = 'conductor';
  assert.equal((await bench.at().provision(provision)).kind, 'continue', 'Ironic is not done with it');
});

test('a deployment that waits for its ramdisk is begun anew when forced, also with an older Ironic', async (t) => {
  for (const newestMinor of [109, 110]) {
    const bench = await createTestBench(t, { newestMinor });
    await bench.node('wait call-back', { target_provision_state: 'active' });
    assert.equal((await bench.at().provision(provision)).kind, 'continue');
    assert.deepEqual(targetsOf(bench.changes()), []);
    await bench.at().provision({ ...provision, isForced: true });
    assert.deepEqual(targetsOf(bench.changes()), [newestMinor === 110 ? 'abort' : 'deleted']);
  }
});

test('cleaning that failed on the way back is told of, and done again before the host is available', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  bench.ironic.api.fail('metal3~host-1', { target: 'deleted', reason: 'a disk would not be erased' });
  const failed = await bench.drive.until(() => bench.at().deprovision(deprovision));
  assert.deepEqual(failed, { kind: 'failed', message: 'a disk would not be erased' });
  await bench.drive.done(({ hasStarted }) => bench.at().deprovision({ ...deprovision, isRetry: !hasStarted }));
  assert.deepEqual(targetsOf(bench.changes()), ['deleted', 'manage', 'provide']);
});

test('without cleaning a host is given back as it is', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  await bench.drive.done(() => bench.at().deprovision({ isRetry: false, cleaningMode: 'disabled' }));
  assert.equal(node.automated_clean, false);
});

test('preparing builds RAID with the steps for it, and boots the ramdisk only where that is needed', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('available');
  await bench.drive.done(({ hasStarted }) => bench.at().prepare({ isRetry: false, isWanted: !hasStarted, settings }));
  const raid = { hardwareRAIDVolumes: [{ level: '1', sizeGibibytes: 100, name: 'root' }] } as const;
  const prepare = { isRetry: false, raid: { hardwareRAIDVolumes: [...raid.hardwareRAIDVolumes] }, settings };
  await bench.drive.done(({ hasStarted }) => bench.at().prepare({ ...prepare, isWanted: !hasStarted }));
  const changes = bench.changes();
  assert.deepEqual(targetsOf(changes), ['manage', 'clean', 'provide', 'manage', 'clean', 'provide']);
  const [first, second] = changes.map(({ body }) => body as Record<string, unknown>).filter((body) => body.clean_steps);
  assert.equal(first?.disable_ramdisk, true);
  assert.equal(second?.disable_ramdisk, undefined);
  assert.deepEqual(
    ((second?.clean_steps ?? []) as { step: string }[]).map(({ step }) => step),
    ['delete_configuration', 'create_configuration', 'apply_configuration'],
  );
  const told = changes.find(({ line }) => line.endsWith('/states/raid'));
  assert.deepEqual(told?.body, {
    logical_disks: [{ raid_level: '1', size_gb: 100, volume_name: 'root', is_root_volume: true }],
  });
});

test('cleaning that failed is told of, and begun again on the next attempt', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable');
  bench.ironic.api.fail('metal3~host-1', { target: 'clean', reason: 'the BIOS said no' });
  const wanted = { isWanted: true, settings };
  const failed = await bench.drive.until(({ hasStarted }) =>
    bench.at().prepare({ isRetry: false, ...wanted, isWanted: !hasStarted }),
  );
  assert.deepEqual(failed, { kind: 'failed', message: 'the BIOS said no' });
  await bench.drive.done(({ hasStarted }) =>
    bench.at().prepare({ settings, isRetry: !hasStarted, isWanted: !hasStarted }),
  );
  assert.equal(bench.bmc.bios.get('ProcTurboMode'), 'Disabled');
});

for (const [name, from] of [
  ['prepare', 'manageable'],
  ['provision', 'manageable'],
  ['deprovision', 'active'],
] as const) {
  test(`${name} tells of cleaning that fails each time, and does not go round for ever`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node(from);
    const ask = ({ hasStarted, isRetry }: { readonly hasStarted: boolean; readonly isRetry: boolean }) => {
      for (const target of ['provide', 'clean', 'deleted'])
        bench.ironic.api.fail('metal3~host-1', { target, reason: 'no' });
      const attempt = { isRetry: isRetry && !hasStarted };
      if (name === 'prepare') return bench.at().prepare({ ...attempt, isWanted: !hasStarted, settings });
      return name === 'provision'
        ? bench.at().provision({ ...provision, ...attempt })
        : bench.at().deprovision({ ...deprovision, ...attempt });
    };
    for (const isRetry of [false, true, true]) {
      const outcome = await bench.drive.until(({ hasStarted }) => ask({ hasStarted, isRetry }));
      assert.deepEqual(outcome, { kind: 'failed', message: 'no' });
    }
  });
}

test('hardware RAID on a driver without it is told of', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable');
  const at = bench.at({ bmc: { ...bench.host.bmc, address: 'ipmi://10.0.0.1' } });
  const raid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
  assert.match(messageOf(await at.prepare({ isRetry: false, isWanted: true, raid })), /cannot build it/);
});

test('an inspection is begun anew only when asked to, and told of when it failed', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('available');
  const inspect = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
  await bench.drive.done(() => bench.at().inspect(inspect));
  assert.deepEqual(targetsOf(bench.changes()), ['manage', 'inspect']);
  await bench.drive.done(() => bench.at().inspect(inspect));
  assert.deepEqual(targetsOf(bench.changes()), []);
  bench.ironic.api.fail('metal3~host-1', { target: 'inspect', reason: 'no ramdisk came up' });
  const failed = await bench.drive.until(({ hasStarted }) =>
    bench.at().inspect({ ...inspect, isRefresh: !hasStarted }),
  );
  assert.deepEqual(failed, { kind: 'failed', message: 'no ramdisk came up' });
  await bench.drive.done(({ hasStarted }) => bench.at().inspect({ ...inspect, isRetry: !hasStarted }));
  await bench.node('active');
  assert.match(messageOf(await bench.at().inspect(inspect)), /cannot be inspected/);
});

test('an inspection that waits for its ramdisk is begun anew when forced', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('inspect wait', { target_provision_state: 'manageable' });
  const inspect = { isRetry: false, isRefresh: false, bootMode: 'UEFI' } as const;
  await bench.drive.done(({ hasStarted }) => bench.at().inspect({ ...inspect, isForced: !hasStarted }));
  assert.deepEqual(targetsOf(bench.changes()), ['abort', 'inspect']);
});

test('what an earlier inspection told can be read in any state, and nothing is started for it', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable');
  assert.deepEqual(await bench.at().readInventory(), { kind: 'done', value: undefined });
  assert.deepEqual(bench.changes(), []);
});

test('a host is not detached in the middle of work, unless forced', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('wait call-back');
  assert.equal((await bench.at().detach({ isForced: false })).kind, 'busy');
  assert.equal((await bench.at().detach({ isForced: true })).kind, 'done');
  assert.equal(bench.ironic.api.nodes.size, 0);
});

test('a state that a newer Ironic invented is waited for', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable', { provision_state: 'pondering' as never });
  assert.equal((await bench.at().prepare({ isRetry: false, isWanted: true })).kind, 'busy');
});

test('an Ironic that is away says nothing about hosts', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  await bench.ironic.stop();
  const outcome = await bench.at().look();
  assert.equal(outcome.kind, 'unavailable');
  assert.match(messageOf(outcome), /does not answer/);
  await bench.ironic.start();
  assert.equal((await bench.at().look()).kind, 'done');
});

test('an Ironic that is too old is told of in every answer', async (t) => {
  const bench = await createTestBench(t, { newestMinor: 85 });
  assert.match(messageOf(await bench.at().look()), /1\.86 .*is needed/);
  assert.match(messageOf(await bench.provisioners.hasCapacity(bench.host)), /1\.86 .*is needed/);
});

for (const state of ['active', 'servicing', 'service wait', 'service hold', 'service failed', 'rescue'] as const) {
  test(`a host that is to be available is not called so while its node is in use (${state})`, async (t) => {
    const bench = await createTestBench(t);
    await bench.node(state, { power_state: 'power on' });
    for (const isRetry of [false, true]) {
      const outcome = await bench.at().prepare({ isRetry, isWanted: true, settings });
      assert.equal(outcome.kind, 'failed');
      assert.match(messageOf(outcome), /runs a deployed system and cannot be prepared/);
    }
    assert.deepEqual(bench.changes(), []);
  });
}

for (const state of ['active', 'service failed'] as const) {
  test(`a node in ${state} is provisioned only if it runs what is asked for`, async (t) => {
    const bench = await createTestBench(t);
    const node = await bench.node(state, { instance_info: { image_source: 'http://files/another' } });
    const isFine = async (wanted: Deployment) =>
      (await bench.at().provision({ ...provision, deployment: wanted })).kind === 'done';
    const custom = { customDeploy: { method: 'install_it' }, bootMode: 'UEFI' } as const;
    assert.match(messageOf(await bench.at().provision(provision)), /runs something else/);
    assert.equal(await isFine({ ...deployment, image: { url: 'http://files/another', checksum: 'x' } }), true);
    node.instance_info = {};
    assert.equal(await isFine(deployment), false, 'nobody knows what runs there');
    assert.equal(await isFine(custom), false, 'it was not deployed by that');
    node.deploy_interface = 'custom-agent';
    assert.equal(await isFine(custom), true);
    Object.assign(node, { deploy_interface: 'ramdisk', instance_info: { boot_iso: 'http://files/live.iso' } });
    assert.equal(await isFine({ image: { url: 'http://files/live.iso', format: 'live-iso' }, bootMode: 'UEFI' }), true);
    assert.deepEqual(bench.changes(), []);
  });
}

test('an image of a registry is still the same after Ironic noted which one its tag meant', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', { instance_info: { image_source: 'oci://images.example:5000/os/base@sha256:abc' } });
  const from = async (url: string) =>
    (await bench.at().provision({ ...provision, deployment: { image: { url }, bootMode: 'UEFI' } })).kind;
  assert.equal(await from('oci://images.example:5000/os/base:42'), 'done');
  assert.equal(await from('oci://images.example:5000/os/base'), 'done');
  assert.equal(await from('oci://images.example:5000/os/other:42'), 'failed');
  assert.equal(await from('http://images.example:5000/os/base'), 'failed');
});
