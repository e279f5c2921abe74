import {
  type DiscoveredFirmware,
  ironcoreGroup as group,
  type Server,
  type ServerFirmware,
  type ServerFirmwareGroup,
  ironcoreVersion as version,
} from '../../api/index.ts';
import type { Machines } from '../../engine/index.ts';
import { type Clock, isNotFound, type KubeClient, type KubeObject, type ResourceClient } from '../../kube/index.ts';
import { type Hardware, hardwareKey, isHardwareOf, productCodes } from '../../parts/index.ts';
import { readVendor } from '../../versions/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';
import type { AvailableVersions, FirmwareObjects } from '../images/needed-images.ts';
import { mostOtherModels } from '../kinds.ts';
import type { FleetNames } from './fleet-names.ts';

/** What names are looked up with. */
export interface KubeNamesOptions {
  readonly client: Pick<KubeClient, 'resource'>;
  readonly clock: Clock;
  /** Where onboarding writes down the Server of each machine; without it all Servers are listed. */
  readonly machines?: Pick<Machines, 'aliasesOf'> | undefined;
  /** How long a list of all Servers is believed when a machine is not in it; 10 s unless given. */
  readonly listMs?: number;
}

/**
 * Names as a Kubernetes API has them. Names are asked for one by one. Machines have the name of their Server where
 * onboarding told the engine of them; others are found in a list that is kept.
 */
export function createKubeNames({ client, clock, machines, listMs = 10_000 }: KubeNamesOptions): FleetNames {
  const servers = resourceOf<Server>(client, 'servers');
  const discovered = resourceOf<DiscoveredFirmware>(client, 'discoveredfirmwares');
  let names: ReadonlyMap<string, string> = new Map();
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;
  /** How many lists were begun, and which of them the names are from. */
  let begun = 0;
  let listed = 0;

  const list = async (): Promise<void> => {
    const begunAt = clock.monotonic();
    begun += 1;
    const { items } = await servers.list({});
    // The oldest of several that claim one machine has it.
    const oldestLast = items.toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
    names = new Map(
      oldestLast.flatMap(({ metadata, spec }) =>
        spec.systemUUID === undefined ? [] : [[spec.systemUUID.toLowerCase(), metadata.name ?? '']],
      ),
    );
    listedAt = begunAt;
    listed = begun;
  };

  return {
    async machineOf(name) {
      const found = await orMissing(servers.get({ name }));
      return found?.spec.systemUUID?.toLowerCase();
    },
    async serverOf(machineId, { isListedAnew = false } = {}) {
      const id = machineId.toLowerCase();
      const [alias, ...others] = (await machines?.aliasesOf(id))?.filter(({ kind }) => kind === 'server') ?? [];
      // Names of Servers that were made anew under another one stay known: only the list tells which is there.
      if (alias !== undefined && others.length === 0) return alias.value;
      const isKnown = (): boolean => names.has(id) && others.length === 0;
      const [oldestAt, earlier] = [clock.monotonic() - listMs, begun];
      const isOld = (): boolean => (isListedAnew ? listed <= earlier : listedAt < oldestAt);
      // Twice where a list is under way that began too early.
      while (!isKnown() && isOld()) {
        listing ??= list().finally(() => {
          listing = undefined;
        });
        await listing;
      }
      return names.get(id);
    },
    async discoveredFirmware(name) {
      const found = await orMissing(discovered.get({ name }));
      if (found === undefined) return undefined;
      const { manufacturer, model, versionsToStore = 3 } = found.spec;
      const otherModels = await readOtherModels(servers, { manufacturer, model });
      return { manufacturer, model, versionsToStore, otherModels };
    },
  };
}

/**
 * What catalogues may call hardware besides: where it is named by a SKU or a machine type, the models of its servers.
 * Lenovo's catalogues name machine types (`7X06`), which part numbers begin with, and no models.
 */
async function readOtherModels(
  servers: Pick<ResourceClient<Server & KubeObject>, 'pages'>,
  hardware: Hardware,
): Promise<readonly string[]> {
  const isLenovo = readVendor(hardware.manufacturer).vendor === 'lenovo';
  const found = new Set<string>();
  for await (const { items } of servers.pages()) {
    for (const { status = {} } of items) {
      if (!isHardwareOf(hardware, status)) continue;
      const codes = isLenovo ? productCodes(status) : [];
      for (const code of codes) for (const type of machineType.exec(code) ?? []) found.add(type.toUpperCase());
      if (status.model !== undefined) found.add(status.model.trim());
    }
  }
  const named = hardwareKey(hardware);
  const others = [...found].filter((model) => hardwareKey({ ...hardware, model }) !== named);
  return others.sort().slice(0, mostOtherModels);
}

const machineType = /^\d[0-9a-z]{3}(?=[0-9a-z]{6}$)/i;

/** What the objects of a Kubernetes API say about firmware. */
export function createKubeFirmware(client: Pick<KubeClient, 'resource'>): FirmwareObjects {
  const discovered = resourceOf<DiscoveredFirmware>(client, 'discoveredfirmwares');
  const servers = resourceOf<ServerFirmware>(client, 'serverfirmwares');
  const groups = resourceOf<ServerFirmwareGroup>(client, 'serverfirmwaregroups');
  return {
    async available() {
      const { items } = await discovered.list({});
      return items.map(readAvailable);
    },
    async wanted() {
      const found = new Map<string, FirmwareVersion>();
      const take = (one: FirmwareVersion): void => {
        const { name, manufacturer, version: asked } = one;
        found.set(JSON.stringify([name, manufacturer, asked]), { name, manufacturer, version: asked });
      };
      for await (const { items } of groups.pages()) for (const { spec } of items) spec.firmwares?.forEach(take);
      // Page by page: of thousands of servers only what they differ in is kept.
      for await (const { items } of servers.pages()) for (const { spec } of items) wishesOf(spec).forEach(take);
      return [...found.values()];
    },
  };
}

function readAvailable({ metadata, spec, status }: DiscoveredFirmware & KubeObject): AvailableVersions {
  const { manufacturer, model, versionsToStore = 3 } = spec;
  const bios = status?.bios === undefined ? [] : [{ name: 'bios', manufacturer, versions: status.bios.versions }];
  const others = (status?.firmwares ?? []).map((each) => ({
    name: each.name,
    manufacturer: each.manufacturer,
    versions: each.versions ?? each.version ?? [],
  }));
  return { name: metadata.name ?? '', manufacturer, model, versionsToStore, available: [...bios, ...others] };
}

/** A BIOS that only follows the server counts too: it is what the server may have to be brought back to. */
function wishesOf({ bios, firmwares = [] }: ServerFirmware['spec']): readonly FirmwareVersion[] {
  return bios === undefined ? firmwares : [{ name: 'bios', manufacturer: '', version: bios.version }, ...firmwares];
}

function resourceOf<T>(client: Pick<KubeClient, 'resource'>, resource: string): ResourceClient<T & KubeObject> {
  return client.resource<T & KubeObject>({ group, version, resource, namespaced: false });
}

function createdAt({ metadata }: KubeObject): string {
  return metadata?.creationTimestamp ?? '';
}

async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
