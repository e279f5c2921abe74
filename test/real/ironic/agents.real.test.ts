import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { freePortRange } from '../free-ports.ts';
import { openAgentDoor } from './agent-door.ts';
import {
  bootFromNetwork,
  changeState,
  driverInfo,
  enrolForAgent,
  findNodeByMac,
  lastLines,
  type SimServer,
  type StoredInspection,
  serverOf,
  waitForDiscovery,
} from './agent-nodes.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Ironic, startIronic } from './ironic.ts';
import { whyNoRealIronic } from './programs.ts';
import { createScratch } from './scratch.ts';
import { until } from './until.ts';

/** Real minutes would pass in POST and while the ramdisk boots. */
const speed = 60;
const strangerVlan = 200;

describe('simulated hosts and a real Ironic', { skip: whyNoRealIronic() ?? false }, () => {
  const scratch = createScratch('agents');
  let centre: DataCentre;
  let ironic: Ironic;
  let files: FileServer;
  let caPath: string;

  before(async () => {
    files = scratch.keep(await startFileServer());
    ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port: await freePortRange(1) }));
    const door = scratch.keep(await openAgentDoor(ironic));
    centre = await startDataCentre({
      seed: 5,
      servers: 4,
      speed,
      personalities: ['dell-idrac9', 'hpe-ilo6', 'lenovo-xcc', 'supermicro-x12'],
      agent: { kind: 'ironic', url: door.url },
    });
    scratch.keep({ stop: () => centre.close() });
    mkdirSync(scratch.folder('trust'), { recursive: true });
    caPath = join(scratch.folder('trust'), 'ca.crt');
    writeFileSync(caPath, centre.caPem ?? '');
  });
  after(() => scratch.end());

  it('discovers a host that boots from the network, and not one whose port is in another VLAN', async () => {
    const found = serverOf(centre, 'lenovo-xcc');
    const lost = serverOf(centre, 'supermicro-x12');
    const port = centre.fabric.portOf(lost.bootMac);
    const wired = port === undefined ? undefined : centre.fabric.port(port);
    assert.ok(port && wired);
    assert.equal(centre.fabric.configure(port, { ...wired.settings, untaggedVlan: strangerVlan }), 'ok');
    for (const server of [lost, found]) bootFromNetwork(server);
    const node = await waitForDiscovery(ironic, found.bootMac);
    await until({
      what: 'a boot without a network',
      timeoutMs: 60_000,
      detail: () => lastLines(lost),
      look: async () => (lost.host.running === 'empty disk' ? true : undefined),
    });
    assert.match(lost.host.machine.log.text(), /host\.no-boot-network/);
    assert.equal(await findNodeByMac(ironic, lost.bootMac), undefined);
    await checkDiscovered(found, node);

    assert.equal(centre.fabric.configure(port, wired.settings), 'ok');
    bootFromNetwork(lost);
    await waitForDiscovery(ironic, lost.bootMac);
  });

  async function checkDiscovered(server: SimServer, node: string): Promise<void> {
    const seen = (await ironic.api('GET', `/v1/nodes/${node}`)) as Record<string, unknown> & {
      properties: Record<string, unknown>;
    };
    const { hardware } = server.host.machine;
    assert.deepEqual([seen.provision_state, seen.driver, seen.last_error], ['enroll', 'fake-hardware', null]);
    assert.equal(seen.properties.cpu_arch, 'x86_64');
    assert.equal(
      seen.properties.memory_mb,
      hardware.dimms.reduce((sum, { capacityMib }) => sum + capacityMib, 0),
    );
    await checkPorts(server, node);
    const stored = (await ironic.api('GET', `/v1/nodes/${node}/inventory`)) as StoredInspection;
    assert.equal(stored.plugin_data.auto_discovered, true);
    assert.equal(stored.inventory.system_vendor.serial_number, hardware.serial);
    assert.equal(stored.inventory.disks.length, hardware.drives.length);
  }

  async function checkPorts(server: SimServer, node: string): Promise<void> {
    const { ports } = (await ironic.api('GET', `/v1/nodes/${node}/ports?detail=True`)) as {
      ports: { address: string; pxe_enabled: boolean; local_link_connection: { port_id?: string } }[];
    };
    assert.deepEqual(ports.map(({ address }) => address).sort(), [...server.macs].sort());
    for (const { address, pxe_enabled, local_link_connection } of ports) {
      assert.equal(pxe_enabled, address === server.bootMac);
      assert.equal(local_link_connection.port_id, centre.fabric.portOf(address)?.port);
    }
  }

  it('takes a discovered host under management once its BMC is known', async () => {
    const server = serverOf(centre, 'lenovo-xcc');
    const node = await findNodeByMac(ironic, server.bootMac);
    assert.ok(node);
    await ironic.api('PATCH', `/v1/nodes/${node}?reset_interfaces=True`, [
      { op: 'replace', path: '/driver', value: 'redfish' },
      { op: 'add', path: '/driver_info', value: driverInfo(server, caPath) },
    ]);
    const managed = await changeState(ironic, node, { wish: { target: 'manage' }, state: 'manageable' });
    assert.equal(managed.power_state, 'power on');
  });

  describe('an enrolled node', () => {
    const image = Buffer.from(`an operating system ${'.'.repeat(200_000)}`);
    const sha256 = createHash('sha256').update(image).digest('hex');
    const nodes = new Map<string, string>();
    const kinds = ['dell-idrac9', 'hpe-ilo6'];
    /** Ironic works on nodes side by side; so do these tests. */
    const onEach = (work: (server: SimServer, node: string) => Promise<void>) =>
      Promise.all(
        kinds.map(async (kind) => {
          const server = serverOf(centre, kind);
          try {
            await work(server, nodes.get(kind) ?? '');
          } catch (error) {
            throw new Error(`${kind}: ${(error as Error).message}\n${lastLines(server)}`, { cause: error });
          }
        }),
      );

    it('is inspected by the agent that it boots when Ironic tells its BMC to', async () => {
      await onEach(async (server) => {
        const node = await enrolForAgent(ironic, server, caPath);
        nodes.set(server.host.machine.personality.name, node);
        const inspected = await changeState(ironic, node, { wish: { target: 'inspect' }, state: 'manageable' });
        assert.equal(inspected.last_error, null);
        const log = server.host.machine.log.text();
        assert.match(log, /boot\.set.*target=Pxe/);
        assert.match(log, /host\.runs what="agent"/);
        const stored = (await ironic.api('GET', `/v1/nodes/${node}/inventory`)) as StoredInspection;
        assert.equal(stored.inventory.system_vendor.serial_number, server.host.machine.hardware.serial);
        assert.equal(server.host.machine.power.state, 'Off', 'Ironic switches it off after an inspection');
        await checkPorts(server, node);
      });
    });

    it('is not deployed with an image that is not what it should be', async () => {
      const server = serverOf(centre, 'dell-idrac9');
      const node = nodes.get('dell-idrac9') ?? '';
      await changeState(ironic, node, { wish: { target: 'provide' }, state: 'available' });
      await setImage(node, { url: files.add('image.raw', image), sha256: '0'.repeat(64) });
      await assert.rejects(
        changeState(ironic, node, { wish: { target: 'active' }, state: 'active' }),
        new RegExp(`deploy failed.*has sha256 ${sha256}`, 's'),
      );
      assert.equal(server.host.disk, undefined);
      await changeState(ironic, node, { wish: { target: 'deleted' }, state: 'available' });
      await changeState(ironic, node, { wish: { target: 'manage' }, state: 'manageable' });
    });

    it('is deployed by its agent, and runs the image', async () => {
      await onEach(async (server, node) => {
        await changeState(ironic, node, { wish: { target: 'provide' }, state: 'available' });
        await setImage(node, { url: files.add('image.raw', image), sha256 });
        await changeState(ironic, node, { wish: { target: 'active' }, state: 'active' });
        assert.equal(server.host.disk?.sha256, sha256);
        await waitForRun(server, 'deployed image');
      });
    });

    it('takes a service step in its agent, and runs the image again', async () => {
      await onEach(async (server, node) => {
        const service_steps = [{ interface: 'deploy', step: 'burnin_cpu' }];
        await changeState(ironic, node, { wish: { target: 'service', service_steps }, state: 'active' });
        assert.match(server.host.machine.log.text(), /agent\.done.*execute_service_step status=SUCCEEDED/);
        assert.equal(server.host.disk?.sha256, sha256);
        await waitForRun(server, 'deployed image');
      });
    });

    it('is cleaned by its agent after it was given back', async () => {
      await onEach(async (server, node) => {
        await changeState(ironic, node, { wish: { target: 'deleted' }, state: 'available' });
        assert.equal(server.host.machine.power.state, 'Off');
        await changeState(ironic, node, { wish: { target: 'manage' }, state: 'manageable' });
        const clean_steps = [{ interface: 'deploy', step: 'erase_devices_metadata' }];
        await changeState(ironic, node, { wish: { target: 'clean', clean_steps }, state: 'manageable' });
        assert.equal(server.host.disk, undefined);
      });
    });
  });

  async function setImage(node: string, image: { readonly url: string; readonly sha256: string }): Promise<void> {
    const instance = {
      image_source: image.url,
      image_os_hash_algo: 'sha256',
      image_os_hash_value: image.sha256,
      image_disk_format: 'raw',
      image_type: 'whole-disk',
    };
    await ironic.api('PATCH', `/v1/nodes/${node}`, [{ op: 'add', path: '/instance_info', value: instance }]);
  }

  async function waitForRun(server: SimServer, what: string): Promise<void> {
    await until({
      what: `a host that runs: ${what}`,
      timeoutMs: 60_000,
      detail: () => `${server.host.running}\n${lastLines(server)}`,
      look: async () => (server.host.running === what ? true : undefined),
    });
  }
});
