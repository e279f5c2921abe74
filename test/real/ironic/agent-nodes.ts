import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataCentre, Host, RunningBmc } from '../../../simulator/index.ts';
import type { Ironic, IronicNode } from './ironic.ts';
import { until } from './until.ts';

/** A simulated server: its BMC, and what runs on it. */
export interface SimServer {
  readonly bmc: RunningBmc;
  readonly host: Host;
  readonly macs: readonly string[];
  /** The NIC that it boots from. */
  readonly bootMac: string;
}

/** The server of a data centre that is of a kind. */
export function serverOf(centre: DataCentre, personality: string): SimServer {
  const index = centre.bmcs.findIndex(({ machine }) => machine.personality.name === personality);
  const bmc = centre.bmcs[index];
  const host = centre.hosts[index];
  assert.ok(bmc && host, `the data centre has no ${personality}`);
  const macs = bmc.machine.hardware.nics.flatMap(({ ports }) => ports.map(({ mac }) => mac.toLowerCase()));
  const [bootMac = ''] = macs;
  return { bmc, host, macs, bootMac };
}

/** Presses the power button with the network as the next boot device, as somebody in front of the rack does. */
export function bootFromNetwork({ host }: SimServer): void {
  const { boot, power } = host.machine;
  assert.equal(boot.set({ enabled: 'Once', target: 'Pxe' }), 'ok');
  assert.equal(power.reset(power.state === 'Off' ? 'On' : 'ForceRestart'), 'ok');
}

/** The node that has a port with the address, or undefined. */
export async function findNodeByMac(ironic: Ironic, mac: string): Promise<string | undefined> {
  const { ports } = (await ironic.api('GET', `/v1/ports?address=${mac}&fields=node_uuid`)) as {
    ports: { node_uuid: string }[];
  };
  return ports[0]?.node_uuid;
}

/** What Ironic keeps of an inspection. */
export interface StoredInspection {
  readonly inventory: {
    readonly interfaces: readonly { readonly mac_address: string }[];
    readonly cpu: { readonly count: number };
    readonly system_vendor: { readonly serial_number: string };
    readonly disks: readonly unknown[];
    readonly bmc_address: string;
  };
  readonly plugin_data: Readonly<Record<string, unknown>>;
}

/** Waits until a node with the address is there and its inspection data is stored. */
export async function waitForDiscovery(ironic: Ironic, mac: string): Promise<string> {
  return until({
    what: `the discovery of ${mac}`,
    timeoutMs: 120_000,
    everyMs: 250,
    detail: () => ironic.tail(),
    look: async () => {
      const node = await findNodeByMac(ironic, mac);
      if (node === undefined) return undefined;
      const isStored = await ironic.api('GET', `/v1/nodes/${node}/inventory`).then(
        () => true,
        () => false,
      );
      return isStored ? node : undefined;
    },
  });
}

/** What the redfish driver is told of a simulated BMC. */
export function driverInfo({ bmc }: SimServer, caPath: string): Readonly<Record<string, string>> {
  return {
    redfish_address: bmc.url,
    redfish_username: bmc.username,
    redfish_password: bmc.password,
    redfish_system_id: bmc.systemPath,
    redfish_verify_ca: caPath,
  };
}

/** Enrols a server whose agent shall inspect, deploy and clean it, and takes it under management. */
export async function enrolForAgent(ironic: Ironic, server: SimServer, caPath: string): Promise<string> {
  // Nothing loads them: the simulated ramdisk is the agent.
  const ramdisk = join(ironic.filesDir, 'ramdisk');
  writeFileSync(ramdisk, 'r'.repeat(4096));
  const created = await ironic.api('POST', '/v1/nodes', {
    driver: 'redfish',
    boot_interface: 'ipxe',
    deploy_interface: 'direct',
    inspect_interface: 'agent',
    driver_info: {
      ...driverInfo(server, caPath),
      deploy_kernel: `file://${ramdisk}`,
      deploy_ramdisk: `file://${ramdisk}`,
    },
  });
  const { uuid } = created as IronicNode;
  await changeState(ironic, uuid, { wish: { target: 'manage' }, state: 'manageable' });
  return uuid;
}

/** Asks for a provision state and waits until the node rests in the one that it shall come to. */
export async function changeState(
  ironic: Ironic,
  node: string,
  change: { readonly wish: Readonly<Record<string, unknown>>; readonly state: string },
): Promise<IronicNode> {
  await ironic.api('PUT', `/v1/nodes/${node}/states/provision`, change.wish);
  return ironic.waitForState(node, change.state);
}

/** The last lines of a simulated machine's log, for an error message. */
export function lastLines({ host }: SimServer): string {
  return host.machine.log.text().split('\n').slice(-25).join('\n');
}
