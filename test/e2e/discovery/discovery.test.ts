import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BareMetalHost } from '../../../src/api/index.ts';
import { type PluggedFleet, startPluggedFleet, untilAny, untilNone, untilSo } from './plugged-fleet.ts';

const inState =
  (state: string) =>
  ({ status }: BareMetalHost): boolean =>
    status?.provisioning.state === state;

function powerOf({ status }: BareMetalHost): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === 'PowerManagement');
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

const replicasOf = (set: object): number | undefined =>
  (set as { readonly spec?: { readonly replicas?: number } }).spec?.replicas;

describe('a server that is plugged in', () => {
  let fleet: PluggedFleet;
  before(async () => {
    fleet = await startPluggedFleet(4);
  });
  after(() => fleet?.close());

  it('becomes a node without any credentials, and is managed once they are told, neither inspected nor restarted', async () => {
    await fleet.applyExample('11-discover-a-host', 'edge');
    await fleet.press('r01-s01', 'On');
    const at = { namespace: 'edge', name: 'edge-r01-s01' };
    const host = await untilSo(fleet.hosts, at, inState('provisioned'));
    assert.equal(powerOf(host), 'False NoBMCDetails');
    assert.equal(host.spec?.consumerRef?.kind, 'Metal3Machine');
    assert.equal(host.metadata.labels?.['hardwareclassification.metal3.io/worker'], 'matches');
    const node = await untilSo(fleet.nodes, { name: 'edge-r01-s01' });
    assert.equal(node.metadata?.labels?.['metal3.io/uuid'], host.metadata.uid);
    await untilSo(fleet.sets, { namespace: 'edge', name: 'workers' }, (set) => replicasOf(set) === 1);
    await untilSo(fleet.machines, { namespace: 'edge', name: host.spec?.consumerRef?.name ?? '' }, (machine) =>
      JSON.stringify(machine.status ?? {}).includes('"nodeRef":{"name":"edge-r01-s01"'),
    );
    const inventory = await fleet.hardwareData.get(at);
    const started = starts(await fleet.logOf('r01-s01'));
    assert.equal(started, 2, 'into the agent, and into what was deployed');

    await fleet.run(['apply', '-f', '-'], await credentials(fleet, { host: at.name, server: 'r01-s01' }));
    const managed = await untilSo(fleet.hosts, at, (seen) => powerOf(seen) === 'True BMCAccessValidated');
    assert.equal(managed.status?.provisioning.state, 'provisioned');
    assert.equal(managed.status?.provisioning.ID, host.status?.provisioning.ID);
    assert.equal(managed.status?.operationHistory?.inspect, undefined, 'it was never inspected');
    assert.equal((await fleet.hardwareData.get(at)).metadata?.resourceVersion, inventory.metadata?.resourceVersion);
    assert.equal(starts(await fleet.logOf('r01-s01')), started, 'nothing has restarted it');
    // Who can switch it off by its BMC manages it.
    await fleet.hosts.patch(at, { type: 'merge', body: { spec: { online: false } } });
    await untilSo(fleet.hosts, at, ({ status }) => status?.poweredOn === false);
    assert.match(await fleet.logOf('r01-s01'), /power\.off/);
    await fleet.run(['delete', 'bmhd', 'all', '-n', 'edge']);
  });

  it('waits for somebody who looks at it where that is asked for, and one command lets it in', async () => {
    await fleet.applyExample('12-review-a-host', 'lab');
    await fleet.press('r01-s02', 'On');
    const at = { namespace: 'lab', name: 'lab-r01-s02' };
    const host = await untilSo(fleet.hosts, at, inState('importing'));
    assert.ok(host.status?.hardware !== undefined);
    assert.ok('discovery.rackwright.io/quarantine' in (host.metadata.labels ?? {}));
    assert.equal(replicasOf(await fleet.sets.get({ namespace: 'lab', name: 'workers' })), 0);
    await fleet.run(['label', 'bmh', 'lab-r01-s02', '-n', 'lab', 'discovery.rackwright.io/quarantine-']);
    await untilSo(fleet.hosts, at, inState('provisioned'));
    const node = await untilSo(fleet.nodes, { name: 'lab-r01-s02' });
    assert.equal(node.metadata?.labels?.['metal3.io/uuid'], host.metadata.uid);
    await fleet.run(['delete', 'bmhd', 'all', '-n', 'lab']);
  });

  it('takes the place of a faulty one without anybody touching the API, and the faulty one can be cleared away', async () => {
    await fleet.applyExample('13-replace-a-node', 'prod');
    await fleet.press('r01-s03', 'On');
    await untilSo(fleet.nodes, { name: 'prod-r01-s03' });
    const old = { namespace: 'prod', name: 'prod-r01-s03' };
    const broken = await untilSo(fleet.hosts, old, inState('provisioned'));
    await fleet.press('r01-s03', 'ForceOff');
    await fleet.press('r01-s04', 'On');
    await untilSo(fleet.nodes, { name: 'prod-r01-s04' });
    await untilSo(fleet.hosts, { namespace: 'prod', name: 'prod-r01-s04' }, inState('provisioned'));
    const workers = { namespace: 'prod', name: 'workers' };
    assert.equal(replicasOf(await fleet.sets.get(workers)), 2);
    // Nobody can clean a server that is gone: detached, it is let go as it is.
    await fleet.run(['annotate', 'bmh', old.name, '-n', 'prod', 'baremetalhost.metal3.io/detached=']);
    await fleet.run(['delete', 'bmh', old.name, '-n', 'prod', '--wait=false']);
    await untilNone(fleet.hosts, old);
    const machine = broken.spec?.consumerRef?.name ?? '';
    await fleet.run(['delete', 'machines.cluster.x-k8s.io', machine, '-n', 'prod', '--wait=false']);
    await untilNone(fleet.machines, { namespace: 'prod', name: machine });
    await untilSo(fleet.sets, workers, (set) => replicasOf(set) === 1);
    await untilSo(fleet.nodes, { name: 'prod-r01-s04' });
    await fleet.run(['delete', 'bmhd', 'all', '-n', 'prod']);
  });

  it('is refused with a reason where it lies or floods, and hosts that are there stay as they are', async () => {
    const victim = { namespace: 'lab', name: 'lab-r01-s02' };
    const before = await untilSo(fleet.hosts, victim, inState('provisioned'));
    const nodeA = await fleet.introduce(machine({ mac: '52:54:00:0b:00:01', hostname: 'node-a' }));
    const alike = await fleet.introduce(machine({ mac: '52:54:00:0b:00:02', hostname: 'Node_A' }));
    assert.deepEqual([nodeA.status, alike.status], [201, 201]);
    const twice = (serial: string) => fleet.introduce(machine({ mac: '52:54:00:0b:00:03', hostname: 'twice', serial }));
    assert.deepEqual([(await twice('first')).status, (await twice('second')).status], [201, 409]);
    const thief = machine({ mac: before.spec?.bootMACAddress ?? '', hostname: 'thief' });
    assert.equal((await fleet.introduce(thief)).status, 409);
    const huge = machine({ mac: '52:54:00:0b:00:04', hostname: 'h'.repeat(2 ** 20) });
    assert.equal((await fleet.introduce(huge)).status, 413);
    const long = machine({ mac: '52:54:00:0b:00:04', hostname: 'h'.repeat(2 ** 16) });
    assert.equal((await fleet.introduce(long)).status, 400);

    await fleet.run(['apply', '-f', '-'], discoveryIn('hostile', { prefix: 'x-' }));
    const seen = await untilSo(fleet.discoveries, { namespace: 'hostile', name: 'all' }, ({ status }) =>
      ['NameConflict', 'SourceRefused'].every((reason) => status?.skipped?.some((each) => each.reason === reason)),
    );
    const messages = (seen.status?.skipped ?? []).map(({ message }) => message).join('\n');
    assert.match(messages, /host lab\/lab-r01-s02/);
    assert.match(messages, /52:54:00:0b:00:03 of agent-\S+, and the agent of that machine is there/);
    assert.match(messages, /hostname/);
    assert.ok(messages.length < 3000);
    await untilSo(fleet.hosts, { namespace: 'hostile', name: 'x-twice' });
    const made = (await fleet.hosts.list({ namespace: 'hostile' })).items.map(({ metadata }) => metadata.name ?? '');
    assert.deepEqual(
      made.filter((name) => !['x-node-a', 'x-twice'].includes(name)),
      [],
    );
    await untilAny(fleet.events, 'hostile', ({ reason }) => reason === 'HostsRefused');
    await fleet.run(['delete', 'bmhd', 'all', '-n', 'hostile']);

    const flood = Array.from({ length: 30 }, (_, index) =>
      machine({ mac: `52:54:00:0c:00:${(index + 16).toString(16)}`, hostname: `flood-${index}` }),
    );
    await Promise.all(flood.map((each) => fleet.introduce(each)));
    await fleet.run(['apply', '-f', '-'], discoveryIn('flood', { prefix: '', rateLimit: { hostsPerMinute: 1 } }));
    const slow = await untilSo(fleet.discoveries, { namespace: 'flood', name: 'all' }, ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === 'Throttled' && is === 'True'),
    );
    assert.ok((slow.status?.waitingHosts ?? 0) > 0);
    await fleet.run(['delete', 'bmhd', 'all', '-n', 'flood']);
    const after = await fleet.hosts.get(victim);
    assert.deepEqual([after.metadata.uid, after.spec], [before.metadata.uid, before.spec]);
    assert.equal(after.status?.provisioning.state, 'provisioned');
    assert.deepEqual(after.status?.hardware, before.status?.hardware);
  });
});

/** What a machine tells of itself; one of another serial number is another machine. */
function machine({
  mac,
  hostname,
  serial = hostname.slice(0, 64),
}: {
  mac: string;
  hostname: string;
  serial?: string;
}) {
  return {
    hostname,
    interfaces: [{ name: 'eno1', mac_address: mac, ipv4_address: '192.0.2.9' }],
    memory: { physical_mb: 65_536 },
    system_vendor: { manufacturer: 'Stranger', product_name: 'Box', serial_number: serial },
    boot: { pxe_interface: mac },
  };
}

function discoveryIn(namespace: string, { prefix, ...spec }: { readonly prefix: string; readonly rateLimit?: object }) {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHostDiscovery',
      metadata: { namespace, name: 'all' },
      spec: { resourceNameTemplate: { prefix, hardwareDetails: 'hostname' }, pollIntervalSeconds: 5, ...spec },
    },
  ]
    .map((object) => JSON.stringify(object))
    .join('\n---\n');
}

/** How often the server has begun to start. */
function starts(log: string): number {
  return log.split('\n').filter((line) => line.includes(' post.begin')).length;
}

async function credentials(fleet: PluggedFleet, { host, server }: { readonly host: string; readonly server: string }) {
  const [url = '', username = '', password = ''] = (await fleet.run(['simulate', 'login', server])).trim().split(' ');
  const metadata = { namespace: 'edge', name: 'bmc' };
  const address = `redfish+${url}/redfish/v1/Systems/System.Embedded.1`;
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username, password } },
    {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { namespace: 'edge', name: host },
      spec: { bmc: { address, credentialsName: 'bmc' } },
    },
  ]
    .map((object) => JSON.stringify(object))
    .join('\n---\n');
}
