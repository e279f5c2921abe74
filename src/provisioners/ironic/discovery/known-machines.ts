import type { KnownMachine } from '../../discovery-source.ts';
import { type JsonObject, textOf } from '../client/index.ts';
import { readNode, whyClaimed } from '../node/index.ts';

/** What is asked of every node. Lists have no `allocation_uuid`, but what is allocated has an `instance_uuid` too. */
export const nodeFields = ['uuid', 'name', 'provision_state', 'instance_uuid', 'owner', 'lessee', 'retired'] as const;

/** What is asked of every port. */
export const portFields = ['uuid', 'node_uuid', 'address', 'pxe_enabled'] as const;

/** The machines that nodes and their ports stand for; one without any address cannot be told from others. */
export function knownMachines(
  nodes: readonly JsonObject[],
  ports: readonly JsonObject[],
): readonly Omit<KnownMachine, 'isAutoDiscovered'>[] {
  const byNode = portsByNode(ports);
  return nodes.flatMap((node) => {
    const id = textOf(node.uuid) ?? '';
    const own = byNode.get(id) ?? [];
    const macs = [...own.filter(({ isBootPort }) => isBootPort), ...own.filter(({ isBootPort }) => !isBootPort)].map(
      ({ mac }) => mac,
    );
    const [bootMac] = macs;
    if (bootMac === undefined) return [];
    return [{ id, bootMac, macs, ...(whyClaimed(readNode(node)) === undefined ? {} : { isClaimed: true as const }) }];
  });
}

interface Port {
  readonly mac: string;
  readonly isBootPort: boolean;
}

function portsByNode(ports: readonly JsonObject[]): ReadonlyMap<string, readonly Port[]> {
  const byNode = new Map<string, Port[]>();
  for (const port of ports) {
    const node = textOf(port.node_uuid) ?? '';
    const mac = textOf(port.address)?.toLowerCase();
    if (mac === undefined) continue;
    const own = byNode.get(node) ?? [];
    own.push({ mac, isBootPort: port.pxe_enabled === true });
    byNode.set(node, own);
  }
  return byNode;
}
