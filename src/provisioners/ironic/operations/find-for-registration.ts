import { tryParseBmcAddress } from '../../../bmc/index.ts';
import { type HostBmcAddress, readBmcAddress } from '../../bmc-address/index.ts';
import { objectsOf, textOf } from '../client/index.ts';
import { type IronicNode, memberOf, nodeName, objectionToNode } from '../node/index.ts';
import { readNodeOf, type Workplace } from '../workplace.ts';

/** The node of a host that may not know its id, or why it cannot be told. */
export type FoundNode =
  | { readonly kind: 'found'; readonly node: IronicNode }
  | { readonly kind: 'none' }
  | { readonly kind: 'conflict'; readonly message: string };

/** Looks for the node of a host by its id, its name, its name without a namespace, and the address of its port. */
export async function findForRegistration(place: Workplace, address: HostBmcAddress): Promise<FoundNode> {
  const { host } = place;
  const own =
    (host.id === undefined ? undefined : await readNodeOf(place, host.id)) ?? (await readNodeOf(place, nodeName(host)));
  if (own !== undefined) return ifNotForeign(place, own);
  // Nodes of old have names without a namespace; another namespace may have a host of that name.
  const bare = await readNodeOf(place, host.name);
  if (bare !== undefined && isAtAddress(bare, address)) return { kind: 'found', node: bare };
  return host.bootMacAddress === undefined ? { kind: 'none' } : findByMac(place, host.bootMacAddress);
}

/** Whether the node says that its BMC is there, however its address is written. */
export function isAtAddress(node: IronicNode, address: HostBmcAddress): boolean {
  const info = memberOf(node, 'driver_info');
  if (address.protocol === 'ipmi') {
    const host = textOf(info.ipmi_address) ?? '';
    const written = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
    const reading = readBmcAddress(`ipmi://${written}:${info.ipmi_port ?? '623'}`);
    return reading.kind === 'known' && reading.address.system === address.system;
  }
  const service = textOf(info.redfish_address);
  if (service === undefined) return false;
  return tryParseBmcAddress(`${service}/${textOf(info.redfish_system_id) ?? ''}`)?.system === address.system;
}

/** A node that an id or an address led to, unless it is somebody else's. */
export function ifNotForeign({ host }: Workplace, node: IronicNode): FoundNode {
  const objection = objectionToNode(host, node);
  if (objection === undefined) return { kind: 'found', node };
  return { kind: 'conflict', message: `${objection}; delete this host, or what keeps the node` };
}

/** A node that Ironic discovered has no name; one with a name is somebody's. */
export async function findByMac(place: Workplace, mac: string): Promise<FoundNode> {
  const path = `/ports?address=${encodeURIComponent(mac.toLowerCase())}&fields=node_uuid`;
  const [port] = objectsOf((await place.client.call({ method: 'GET', path })).ports);
  const uuid = textOf(port?.node_uuid);
  const node = uuid === undefined ? undefined : await readNodeOf(place, uuid);
  if (node === undefined) return { kind: 'none' };
  const objection = objectionToNode(place.host, node);
  if (objection === undefined) return { kind: 'found', node };
  return { kind: 'conflict', message: macConflict(mac, node.name ?? `${node.uuid} (${objection})`) };
}

/** Two nodes cannot have one address. */
export function macConflict(mac: string, owner: string): string {
  return `MAC address ${mac} conflicts with existing node ${owner}; correct bootMACAddress, or delete that node`;
}
