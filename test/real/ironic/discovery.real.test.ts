import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import type { BareMetalHost } from '../../../src/api/index.ts';
import { createGates } from '../../../src/bmc/index.ts';
import { createClient, type KubeObject, systemClock } from '../../../src/kube/index.ts';
import { createDrive } from '../../../src/provisioners/contract/index.ts';
import {
  createIronicProvisioners,
  type Deployment,
  type DiscoverySource,
  type HostIdentity,
  type KnownMachine,
  type Provisioner,
  type Provisioners,
  type Registration,
} from '../../../src/provisioners/index.ts';
import { runCli, startUp } from '../../e2e/cli-fixture.ts';
import { freePortRange } from '../free-ports.ts';
import { bootFromNetwork, lastLines, type SimServer, serverOf } from './agent-nodes.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Ironic, type IronicNode, startIronic } from './ironic.ts';
import { ironicLogin, ironicWords, ramdiskOf } from './ironic-words.ts';
import { whyNoRealIronic } from './programs.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { until } from './until.ts';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');
/** Real minutes would pass in POST and while the ramdisk boots. */
const speed = 60;
const kinds = ['dell-idrac9', 'hpe-ilo6', 'lenovo-xcc'] as const;
/** It is plugged in last. */
const lastKind = 'supermicro-x12';
const again = { isRetry: false };
const registration: Registration = {
  isRetry: false,
  haveCredentialsChanged: true,
  bootMode: 'UEFI',
  cleaningMode: 'disabled',
  isExternallyProvisioned: false,
};

describe('machines that come to a real Ironic by themselves', { skip: whyNoRealIronic() ?? false }, () => {
  const scratch = createScratch('discovery');
  const drive = createDrive(() => delay(500));
  let centre: DataCentre;
  let ironic: Ironic;
  let files: FileServer;
  let provisioners: Provisioners;
  let discovery: DiscoverySource;
  const ids = new Map<string, string>();

  before(async () => {
    files = scratch.keep(await startFileServer());
    // The driver that real deployments of Metal3 name there reaches a BMC, and would have to be told how.
    const how = { driver: 'redfish', isFastTrack: true };
    const port = await freePortRange(1);
    ironic = scratch.keep(
      await startIronic({ dataDir: scratch.folder('ironic'), port, credentials: ironicLogin, discovery: how }),
    );
    centre = await startDataCentre({
      seed: 5,
      servers: kinds.length + 1,
      speed,
      personalities: [...kinds, lastKind],
      agent: { kind: 'ironic', url: ironic.url },
    });
    scratch.keep({ stop: () => centre.close() });
    const ramdisk = ramdiskOf(ironic);
    const gates = createGates({ clock: systemClock });
    scratch.keep({ stop: () => gates.close() });
    provisioners = createIronicProvisioners({
      bmcs: { gates, trustOf: () => ({ kind: 'system', allowsHttp: true }) },
      url: ironic.url,
      credentials: ironicLogin,
      deployImages: { kernelUrl: ramdisk, ramdiskUrl: ramdisk },
    });
    scratch.keep({ stop: () => provisioners.close() });
    discovery = provisioners.sources?.[0] ?? assert.fail('it has no source');
  });
  after(() => scratch.end());

  /** The host that is made of a machine, with its BMC or without. */
  function hostOf(server: SimServer, more: Partial<HostIdentity> = {}): Provisioner {
    const name = server.host.machine.personality.name;
    const { bootMac: bootMacAddress } = server;
    return provisioners.of({ namespace: 'fleet', name, bootMacAddress, isPowerOffDisabled: false, ...more });
  }

  const discovered = (server: SimServer) => hostOf(server, { id: ids.get(server.bootMac), isIdNoted: true });
  const withAccess = (server: SimServer, id = ids.get(server.bootMac)) =>
    hostOf(server, {
      id,
      bmc: accessTo(server),
    });
  const nodeOf = async ({ bootMac }: SimServer, id = ids.get(bootMac)) =>
    (await ironic.api('GET', `/v1/nodes/${id}`)) as IronicNode & Readonly<Record<string, unknown>>;

  /** How often a machine was switched or reset, by whomever. */
  const switchings = ({ host }: SimServer): number => [...host.machine.log.text().matchAll(/power\.reset/g)].length;

  async function list(): Promise<readonly KnownMachine[]> {
    return drive.done(() => discovery.list());
  }

  it('are listed by what is in a table of Ironic; all else it refuses, as the fake of other tests does', async () => {
    const login = Buffer.from(`${ironicLogin.username}:${ironicLogin.password}`).toString('base64');
    const headers = { 'x-openstack-ironic-api-version': '1.95', authorization: `Basic ${login}` };
    for (const field of ['allocation_uuid', 'chassis_uuid', 'conductor', 'foo']) {
      const answer = await fetch(`${ironic.url}/v1/nodes?fields=uuid,${field}`, { headers });
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), new RegExp(`has no attribute '${field}'`));
    }
  });

  it('are listed once they have told what they are, and others are known as registered', async () => {
    const registered = (await ironic.api('POST', '/v1/nodes', {
      name: 'by-hand',
      driver: 'fake-hardware',
    })) as IronicNode;
    await ironic.api('POST', '/v1/ports', { node_uuid: registered.uuid, address: '52:54:00:00:00:77' });
    const servers = kinds.map((kind) => serverOf(centre, kind));
    for (const server of servers) bootFromNetwork(server);
    const known = await until({
      what: 'the discovery of all',
      timeoutMs: 120_000,
      everyMs: 500,
      detail: () => `${servers.map(lastLines).join('\n')}\n${ironic.tail()}`,
      look: async () => {
        const machines = await list();
        return machines.filter((each) => each.isAutoDiscovered).length === kinds.length ? machines : undefined;
      },
    });
    for (const server of servers) {
      const machine = known.find(({ bootMac }) => bootMac === server.bootMac);
      assert.ok(machine?.isAutoDiscovered, server.bootMac);
      assert.deepEqual([...machine.macs].sort(), [...server.macs].sort());
      ids.set(server.bootMac, machine.id);
      const details = await drive.done(() => discovery.read(machine.id));
      const { hardware } = server.host.machine;
      assert.equal(details?.serialNumber, hardware.serial);
      assert.equal(details.hostname, server.host.machine.name);
      assert.equal(details.hardware.storage?.length, hardware.drives.length);
      assert.match(details.ip ?? '', /^192\.0\.2\./);
    }
    const byHand = known.find(({ id }) => id === registered.uuid);
    assert.deepEqual([byHand?.bootMac, byHand?.isAutoDiscovered], ['52:54:00:00:00:77', false]);
    assert.equal(known.length, kinds.length + 1);
  });

  it('are taken over without anything known of their BMC, and are neither switched nor inspected', async () => {
    for (const kind of ['dell-idrac9', 'hpe-ilo6']) {
      const server = serverOf(centre, kind);
      const before = switchings(server);
      const { id } = await drive.done(() => discovered(server).importHost?.(again) ?? assert.fail('it cannot import'));
      assert.equal(id, ids.get(server.bootMac));
      const { name, driver, provision_state, last_error } = await nodeOf(server);
      assert.deepEqual(
        [name, driver, provision_state, last_error],
        [`fleet~${kind}`, 'manual-management', 'manageable', null],
      );
      assert.deepEqual([switchings(server), server.host.running], [before, 'agent']);
      const seen = await drive.done(() => discovered(server).look());
      assert.equal(seen.isPoweredOn, undefined);
    }
    assert.ok((await list()).filter(({ isAutoDiscovered }) => isAutoDiscovered).length === 1);
  });

  it('are managed once their BMC is known, with what they told before', async () => {
    const server = serverOf(centre, 'hpe-ilo6');
    const before = switchings(server);
    const { id } = await drive.done(({ hasStarted }) =>
      withAccess(server).register({ ...registration, haveCredentialsChanged: !hasStarted }),
    );
    assert.equal(id, ids.get(server.bootMac));
    const order = { ...again, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
    const hardware = await drive.done(() => withAccess(server).inspect(order));
    assert.equal(hardware.systemVendor?.serialNumber, server.host.machine.hardware.serial);
    const { driver, power_interface, provision_state } = await nodeOf(server);
    assert.deepEqual([driver, power_interface, provision_state], ['redfish', 'redfish', 'manageable']);
    assert.deepEqual([switchings(server), server.host.running], [before, 'agent']);
    const off = { ...again, target: 'off', mode: 'hard', isForced: false } as const;
    await drive.done(() => withAccess(server).setPower(off));
    assert.equal(server.host.machine.power.state, 'Off');
  });

  it('get their image from the agent that they run, and run it when somebody switches them on again', async () => {
    const server = serverOf(centre, 'dell-idrac9');
    const host = discovered(server);
    await drive.done(() => host.prepare({ ...again, isWanted: true }));
    const bytes = Buffer.from(`an operating system ${'.'.repeat(200_000)}`);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    const deployment: Deployment = {
      image: { url: files.add('image.raw', bytes), checksum, checksumType: 'sha256', format: 'raw' },
      bootMode: 'UEFI',
    };
    const order = { ...again, deployment, config: {}, isForced: false };
    await drive.done(() => host.provision(order));
    assert.equal(server.host.disk?.sha256, checksum);
    assert.match(messageOf(await host.deprovision({ ...again, cleaningMode: 'disabled' })), /set spec\.bmc/);
    await untilRuns(server, 'nothing');
    assert.equal(server.host.machine.power.reset('On'), 'ok');
    await untilRuns(server, 'deployed image');
  });

  it('are managed while they run what was deployed, and go on', async () => {
    const server = serverOf(centre, 'dell-idrac9');
    const before = switchings(server);
    const order = { ...registration, cleaningMode: 'metadata', isDiscovered: true } as const;
    const { serial } = server.host.machine.hardware;
    const marks = { macs: server.macs, serialNumber: serial };
    const other = serverOf(centre, 'hpe-ilo6');
    const wrong = hostOf(server, { id: ids.get(server.bootMac), marks, bmc: accessTo(other) });
    const refusal = messageOf(await wrong.register({ ...order, haveCredentialsChanged: true }));
    assert.ok(refusal.includes(serial) && refusal.includes(other.host.machine.hardware.serial), refusal);
    assert.equal((await nodeOf(server)).driver, 'manual-management');
    const right = hostOf(server, { id: ids.get(server.bootMac), marks, bmc: accessTo(server) });
    await drive.done(({ hasStarted }) => right.register({ ...order, haveCredentialsChanged: !hasStarted }));
    assert.equal((await nodeOf(server)).automated_clean, false);
    const { driver, raid_interface, provision_state, maintenance } = await nodeOf(server);
    assert.deepEqual([driver, raid_interface, provision_state, maintenance], ['redfish', 'redfish', 'active', false]);
    assert.deepEqual([switchings(server), server.host.running], [before, 'deployed image']);
    const seen = await drive.done(() => withAccess(server).look());
    assert.equal(seen.isPoweredOn, true);
  });

  it('are recognized by their address when a host is registered by hand', async () => {
    const server = serverOf(centre, 'lenovo-xcc');
    const before = switchings(server);
    const hand = provisionersHost(server);
    const { id } = await drive.done(({ hasStarted }) =>
      hand.register({ ...registration, haveCredentialsChanged: !hasStarted }),
    );
    assert.equal(id, ids.get(server.bootMac));
    assert.deepEqual([switchings(server), server.host.running], [before, 'agent']);
    const inventory = await drive.done(() => hand.readInventory());
    assert.equal(inventory?.systemVendor?.serialNumber, server.host.machine.hardware.serial);
  });

  it('become nodes of a MachineSet without anything known of their BMC, and are managed later without being inspected', async () => {
    const server = serverOf(centre, lastKind);
    const story = await startStory({ scratch, ironic, files });
    bootFromNetwork(server);
    const place = { namespace: 'edge', name: `edge-${server.host.machine.name}` };
    const provisioned = await story.untilHost(
      place,
      ({ status }) => status?.provisioning.state === 'provisioned' && status.errorMessage === '',
    );
    assert.equal(provisioned.spec?.bootMACAddress, server.bootMac);
    assert.equal(provisioned.spec?.consumerRef?.kind, 'Metal3Machine');
    assert.equal(provisioned.spec?.bmc?.address ?? '', '');
    assert.equal(server.host.disk?.sha256, story.checksum);
    await untilRuns(server, 'nothing');
    assert.equal(server.host.machine.power.reset('On'), 'ok');
    await untilRuns(server, 'deployed image');

    const before = switchings(server);
    await story.tell(accessTo(server), place);
    const managed = await story.untilHost(
      place,
      ({ status }) => status?.goodCredentials?.credentials?.name === 'bmc' && status.poweredOn === true,
    );
    assert.deepEqual([managed.status?.provisioning.state, managed.status?.errorMessage], ['provisioned', '']);
    assert.equal(managed.status?.operationHistory?.inspect?.start ?? null, null);
    assert.equal(managed.status?.provisioning.ID, provisioned.status?.provisioning.ID);
    const { driver, provision_state } = await nodeOf(server, managed.status?.provisioning.ID);
    assert.deepEqual([driver, provision_state], ['redfish', 'active']);
    assert.deepEqual([switchings(server), server.host.running], [before, 'deployed image']);
  });

  /** Whoever writes a manifest does not know what Ironic calls the machine. */
  function provisionersHost(server: SimServer): Provisioner {
    return hostOf(server, { name: 'by-manifest', bmc: accessTo(server) });
  }

  async function untilRuns(server: SimServer, what: string): Promise<void> {
    await until({
      what: `a host that runs: ${what}`,
      timeoutMs: 60_000,
      detail: () => `${server.host.running}\n${lastLines(server)}`,
      look: async () => (server.host.running === what ? true : undefined),
    });
  }
});

type SeenHost = BareMetalHost & KubeObject;

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** How the BMC of a server is reached. */
function accessTo({ bmc }: SimServer) {
  return {
    address: `redfish+${bmc.url}${bmc.systemPath}`,
    isCertificateUnchecked: true,
    credentials: { username: bmc.username, password: bmc.password },
  };
}

/** `rackwright up` beside that Ironic, with the first example of discovery applied to it. */
async function startStory({ scratch, ironic, files }: { scratch: Scratch; ironic: Ironic; files: FileServer }) {
  const dataDir = scratch.folder('up');
  const up = await startUp(dataDir, ['--simulate', '0', ...ironicWords(ironic, scratch)]);
  scratch.keep({ stop: async () => void (await up.end('SIGTERM')) });
  const client = await createClient({ kubeconfig: join(dataDir, 'kubeconfig') });
  scratch.keep({ stop: () => client.close() });
  const ref = { group: 'metal3.io', version: 'v1alpha1', resource: 'baremetalhosts', namespaced: true };
  const hosts = client.resource<SeenHost>({ ...ref, kind: 'BareMetalHost' });
  const apply = async (input: string): Promise<void> => {
    const { code, err } = await runCli(['apply', '-f', '-', '--data-dir', dataDir], { input });
    assert.equal(code, 0, err);
  };
  const image = Buffer.from(`the system of a node ${'.'.repeat(100_000)}`);
  const checksum = createHash('sha256').update(image).digest('hex');
  const url = files.add('node.raw', image);
  const secret = (name: string, stringData: object): string =>
    `---\n${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'edge' }, stringData })}\n`;
  const example = ['discovery', 'workers']
    .map((name) => readFileSync(join(examples, '11-discover-a-host', `${name}.yaml`), 'utf8'))
    .join('---\n')
    .replace(
      'checksum: http://simulator.example/node.raw.sha256',
      `checksum: ${checksum}\n        checksumType: sha256`,
    )
    .replace('http://simulator.example/node.raw', url);
  await apply(`${example}${secret('join', { format: 'cloud-config', value: 'hostname: node' })}`);
  return {
    checksum,
    /** Waits until a host is there and as told. */
    untilHost: (place: Place, isSo: (host: SeenHost) => boolean): Promise<SeenHost> =>
      until({
        what: `the host ${place.name} as it should be`,
        timeoutMs: 600_000,
        everyMs: 500,
        async look() {
          const found = (await hosts.list({ namespace: place.namespace })).items.find(
            ({ metadata }) => metadata?.name === place.name,
          );
          return found !== undefined && isSo(found) ? found : undefined;
        },
        detail: () => `${(up.printed.out + up.printed.err).slice(-6000)}\n${ironic.tail()}`,
      }),
    /** Says how the BMC of a host is reached. */
    async tell({ address, credentials }: ReturnType<typeof accessTo>, place: Place) {
      await apply(secret('bmc', credentials));
      const bmc = { address, credentialsName: 'bmc', disableCertificateVerification: true };
      await hosts.patch(place, { type: 'merge', body: { spec: { bmc } } });
    },
  };
}

const messageOf = (outcome: object): string => ('message' in outcome ? String(outcome.message) : '');
