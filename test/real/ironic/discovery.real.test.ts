import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { createGates } from '../../../src/bmc/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
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
import { freePortRange } from '../free-ports.ts';
import { bootFromNetwork, lastLines, type SimServer, serverOf } from './agent-nodes.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Ironic, type IronicNode, startIronic } from './ironic.ts';
import { whyNoRealIronic } from './programs.ts';
import { createScratch } from './scratch.ts';
import { until } from './until.ts';

/** Real minutes would pass in POST and while the ramdisk boots. */
const speed = 60;
const credentials = { username: 'rackwright', password: 'of-this-run-only' };
const kinds = ['dell-idrac9', 'hpe-ilo6', 'lenovo-xcc'] as const;
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
    ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port, credentials, discovery: how }));
    centre = await startDataCentre({
      seed: 5,
      servers: kinds.length,
      speed,
      personalities: kinds,
      agent: { kind: 'ironic', url: ironic.url },
    });
    scratch.keep({ stop: () => centre.close() });
    // Nothing loads them: the simulated ramdisk is the agent.
    const ramdisk = join(ironic.filesDir, 'ramdisk');
    writeFileSync(ramdisk, 'r'.repeat(4096));
    const gates = createGates({ clock: systemClock });
    scratch.keep({ stop: () => gates.close() });
    provisioners = createIronicProvisioners({
      bmcs: { gates },
      url: ironic.url,
      credentials,
      deployImages: { kernelUrl: `file://${ramdisk}`, ramdiskUrl: `file://${ramdisk}` },
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
  const accessTo = ({ bmc }: SimServer) => ({
    address: `redfish+${bmc.url}${bmc.systemPath}`,
    isCertificateUnchecked: true,
    credentials: { username: bmc.username, password: bmc.password },
  });
  const nodeOf = async ({ bootMac }: SimServer) =>
    (await ironic.api('GET', `/v1/nodes/${ids.get(bootMac)}`)) as IronicNode & Readonly<Record<string, unknown>>;

  /** How often a machine was switched or reset, by whomever. */
  const switchings = ({ host }: SimServer): number => [...host.machine.log.text().matchAll(/power\.reset/g)].length;

  async function list(): Promise<readonly KnownMachine[]> {
    return drive.done(() => discovery.list());
  }

  it('are listed by what is in a table of Ironic; all else it refuses, as the fake of other tests does', async () => {
    const login = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
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

const messageOf = (outcome: object): string => ('message' in outcome ? String(outcome.message) : '');
