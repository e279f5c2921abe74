import type { BMC, DiscoveredFirmware, Server, ServerFirmware, ServerFirmwareGroup } from '../../api/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { resources } from '../resources.ts';
import { createFleet, type Fleet, type FleetTables } from './fleet.ts';
import { discoveredIndexers, firmwareIndexers, serverIndexers, withOwnership } from './objects.ts';
import { createTable, type ObjectTable } from './table.ts';

/** A fleet as it was at one moment. */
export interface LoadedFleet {
  readonly fleet: Fleet;
  readonly firmwares: readonly ServerFirmware[];
  readonly discovered: ObjectTable<DiscoveredFirmware>;
  /** What the fleet was read from. */
  readonly tables: FleetTables;
  readonly bmcs: readonly BMC[];
}

/** Lists everything that decisions about firmware look at, for whoever decides without following: `rackwright plan`. */
export async function loadFleet(client: KubeClient, signal?: AbortSignal): Promise<LoadedFleet> {
  const call = signal === undefined ? {} : { signal };
  const [servers, firmwares, groups, discovered, bmcs] = await Promise.all([
    client.resource<Server & KubeObject>(resources.servers).list(call),
    client.resource<ServerFirmware & KubeObject>(resources.firmwares).list(call),
    client.resource<ServerFirmwareGroup & KubeObject>(resources.groups).list(call),
    client.resource<DiscoveredFirmware & KubeObject>(resources.discovered).list(call),
    client.resource<BMC & KubeObject>(resources.bmcs).list(call),
  ]);
  const tables = {
    servers: createTable(servers.items.map(withOwnership), serverIndexers),
    firmwares: createTable(firmwares.items.map(withOwnership), firmwareIndexers),
    groups: createTable(groups.items),
    bmcs: createTable(bmcs.items),
    discovered: createTable(discovered.items, discoveredIndexers),
  };
  return {
    fleet: createFleet(tables),
    firmwares: firmwares.items,
    discovered: tables.discovered,
    tables,
    bmcs: bmcs.items,
  };
}
