import { type JsonObject, objectOf } from '../client/index.ts';
import { type FakeBmc, inventoryOf } from './fake-bmc.ts';
import { createFakeNode, type FakeNode } from './fake-node.ts';
import type { FakeStore } from './fake-store.ts';

/** Machines that come to a fake by themselves. */
export interface FakeDiscovery {
  /** A machine that nobody registered tells what it is; it is not heard from again before `beat`. */
  discover(machine: FakeBmc, how: { readonly driver: string; readonly atMs: number }): FakeNode;
  /** The agent on a machine says that it is there. */
  beat(machine: FakeBmc, atMs: number): void;
}

/** States of nodes whose agents are listened to before there is work for them. */
const listeningStates = ['enroll', 'manageable', 'available'];

/** As Ironic does with `[auto_discovery]` and `fast_track` on. */
export function fakeDiscovery(store: FakeStore): FakeDiscovery {
  return {
    discover(machine, { driver, atMs }) {
      const node = createFakeNode(store.newId(), { driver, properties: { cpu_arch: 'x86_64' } });
      node.driver_internal_info = { agent_last_heartbeat: momentOf(atMs) };
      store.nodes.set(node.uuid, node);
      store.machines.set(node.uuid, machine);
      machine.isOn = true;
      // The NIC that it booted from need not be the first one.
      for (const [index, address] of machine.macs.entries()) {
        const pxe_enabled = index === machine.macs.length - 1;
        store.ports.push({ uuid: store.newId(), node_uuid: node.uuid, address, pxe_enabled });
      }
      return node;
    },
    beat(machine, atMs) {
      const port = store.ports.find(({ address }) => machine.macs.includes(address));
      const node = port === undefined ? undefined : store.nodes.get(port.node_uuid);
      // Only the deploy interfaces that use agents listen to them.
      if (node === undefined || node.deploy_interface !== 'direct') return;
      if (!listeningStates.includes(node.provision_state)) return;
      store.machines.set(node.uuid, machine);
      machine.isOn = true;
      node.driver_internal_info = { agent_last_heartbeat: momentOf(atMs), agent_url: 'https://agent' };
    },
  };
}

/** Ironic does not say that its moments are in UTC. */
function momentOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '');
}

/** What is kept of what such a machine told. */
export function reportOf(machine: FakeBmc): JsonObject {
  const { inventory, plugin_data } = inventoryOf(machine);
  return { inventory, plugin_data: { ...objectOf(plugin_data), auto_discovered: true } };
}
