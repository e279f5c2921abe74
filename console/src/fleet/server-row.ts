import type { KubeObject } from '../api/kinds.ts';

/** What tells which machine a Server is. */
export interface ServerRow {
  readonly name: string;
  /** Of its network cards, in small letters; empty where its BMC tells of none. */
  readonly macs: readonly string[];
  readonly serial: string;
  /** Where its BMC is, if the Server itself says so. */
  readonly address: string;
}

/** What tells which machine a host is; empty where nobody knows yet. */
export interface MachineMarks {
  readonly name: string;
  readonly mac: string;
  readonly serial: string;
  readonly address: string;
}

interface ServerObject extends KubeObject {
  readonly spec?: { readonly bmc?: { readonly address?: string } };
  readonly status?: {
    readonly serialNumber?: string;
    readonly networkInterfaces?: readonly { readonly macAddress?: string }[];
  };
}

/** Keeps of a Server what tells which machine it is. */
export function toServerRow(object: KubeObject): ServerRow {
  const { metadata, spec, status } = object as ServerObject;
  const macs = (status?.networkInterfaces ?? []).flatMap(({ macAddress }) => macAddress?.toLowerCase() ?? []);
  return { name: metadata.name, macs, serial: status?.serialNumber ?? '', address: bmcHost(spec?.bmc?.address) };
}

/** Where a BMC is: `192.0.2.7` of `redfish+https://192.0.2.7:443/redfish/v1/Systems/1`. */
export function bmcHost(address: string | undefined): string {
  if (/^[\da-f]*:[\da-f:.]*:[\da-f.]*$/i.test(address ?? '')) return (address ?? '').toLowerCase();
  const found = /^(?:[^:/]+:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)/.exec(address ?? '');
  return (found?.[1] ?? '').replace(/^\[|\]$/g, '').toLowerCase();
}

/** Servers by what they can be found by. */
export interface ServerIndex {
  readonly byMac: ReadonlyMap<string, ServerRow>;
  readonly bySerial: ReadonlyMap<string, ServerRow>;
  readonly byAddress: ReadonlyMap<string, ServerRow>;
  /** By the name of their BMC. */
  readonly byName: ReadonlyMap<string, ServerRow>;
}

/** Sorts servers by what they can be found by; what two of them have in common tells of neither. */
export function indexServers(servers: readonly ServerRow[]): ServerIndex {
  const byName = new Map<string, ServerRow>();
  for (const server of servers.toSorted((a, b) => (a.name < b.name ? 1 : -1))) {
    byName.set(hostNameOf(server.name), server);
  }
  return {
    byMac: ownedBy(servers, ({ macs }) => macs),
    bySerial: ownedBy(servers, ({ serial }) => [serial]),
    byAddress: ownedBy(servers, ({ address }) => [address]),
    byName,
  };
}

function ownedBy(
  servers: readonly ServerRow[],
  marksOf: (server: ServerRow) => readonly string[],
): ReadonlyMap<string, ServerRow> {
  const found = new Map<string, ServerRow>();
  const shared = new Set(['']);
  for (const server of servers) {
    for (const mark of marksOf(server)) {
      if ((found.get(mark) ?? server) !== server) shared.add(mark);
      found.set(mark, server);
    }
  }
  for (const mark of shared) found.delete(mark);
  return found;
}

/** Servers are called after their BMC and their place behind it, hosts after their BMC, by those who follow the custom. */
export function hostNameOf(server: string): string {
  return server.replace(/-system-\d+$/, '');
}

/** The server that is the machine of a host, by what it says of itself. */
export function identifyServer({ mac, serial, address }: MachineMarks, index: ServerIndex): ServerRow | undefined {
  return index.byMac.get(mac) ?? index.bySerial.get(serial) ?? index.byAddress.get(address);
}

/** The server that is called as a host is, unless one of them says something that the other does not. */
export function serverOfName(marks: MachineMarks, index: ServerIndex): ServerRow | undefined {
  const server = index.byName.get(marks.name);
  if (server === undefined) return undefined;
  const differs = (one: string, other: string) => one !== '' && other !== '' && one !== other;
  const isOther =
    differs(marks.serial, server.serial) ||
    (isPlainAddress(marks.address) && isPlainAddress(server.address) && marks.address !== server.address) ||
    (marks.mac !== '' && server.macs.length > 0 && !server.macs.includes(marks.mac));
  return isOther ? undefined : server;
}

/** A name and an address may be those of one BMC; two addresses are not. */
function isPlainAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) || text.includes(':');
}
