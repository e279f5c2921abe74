import type { FirmwareRow } from './firmware-row.ts';
import type { HostRow } from './host-row.ts';
import { identifyServer, indexServers, type ServerIndex, type ServerRow, serverOfName } from './server-row.ts';

/** Firmware by the key of the host. */
export type FirmwareByHost = ReadonlyMap<string, FirmwareRow>;

/** Servers with their firmware, sorted by what hosts can find them by. */
export interface FirmwareIndex {
  readonly servers: ServerIndex;
  /** By the name of the server. */
  readonly firmware: ReadonlyMap<string, FirmwareRow>;
}

/** Sorts firmware by servers; of a server that could not be read its name is known all the same. */
export function indexFirmware(firmwares: readonly FirmwareRow[], servers: readonly ServerRow[]): FirmwareIndex {
  const known = new Set(servers.map(({ name }) => name));
  const unread = firmwares
    .filter(({ server }) => !known.has(server))
    .map(({ server }): ServerRow => ({ name: server, macs: [], serial: '', address: '' }));
  return {
    servers: indexServers([...servers, ...unread]),
    firmware: new Map(firmwares.map((row) => [row.server, row])),
  };
}

/** Finds the firmware of each host: by what its machine is known by, or else by a name that no other host has too. */
export function joinFirmware(hosts: readonly HostRow[], { servers, firmware }: FirmwareIndex): FirmwareByHost {
  const found = new Map<string, FirmwareRow>();
  if (firmware.size === 0) return found;
  const taken = new Set<string>();
  const unknown = new Map<string, HostRow[]>();
  for (const host of hosts) {
    const server = identifyServer(host, servers);
    if (server === undefined) {
      unknown.set(host.name, [...(unknown.get(host.name) ?? []), host]);
      continue;
    }
    taken.add(server.name);
    const own = firmware.get(server.name);
    if (own !== undefined) found.set(host.key, own);
  }
  for (const [host, ...others] of unknown.values()) {
    const server = host === undefined || others.length > 0 ? undefined : serverOfName(host, servers);
    const own = server === undefined || taken.has(server.name) ? undefined : firmware.get(server.name);
    if (host !== undefined && own !== undefined) found.set(host.key, own);
  }
  return found;
}
