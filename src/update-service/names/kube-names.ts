import {
  type DiscoveredFirmware,
  ironcoreGroup as group,
  type Server,
  ironcoreVersion as version,
} from '../../api/index.ts';
import type { Machines } from '../../engine/index.ts';
import { type Clock, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { WantedVersions } from '../images/needed-images.ts';
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
  const servers = client.resource<Server & KubeObject>({ group, version, resource: 'servers', namespaced: false });
  const discovered = client.resource<DiscoveredFirmware & KubeObject>({
    group,
    version,
    resource: 'discoveredfirmwares',
    namespaced: false,
  });
  let names: ReadonlyMap<string, string> = new Map();
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;

  const list = async (): Promise<void> => {
    const begun = clock.monotonic();
    const { items } = await servers.list({});
    // The oldest of several that claim one machine has it.
    const oldestLast = items.toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
    names = new Map(
      oldestLast.flatMap(({ metadata, spec }) =>
        spec.systemUUID === undefined ? [] : [[spec.systemUUID.toLowerCase(), metadata.name ?? '']],
      ),
    );
    listedAt = begun;
  };

  return {
    async machineOf(name) {
      const found = await orMissing(servers.get({ name }));
      return found?.spec.systemUUID?.toLowerCase();
    },
    async serverOf(machineId) {
      const id = machineId.toLowerCase();
      const [alias, ...others] = (await machines?.aliasesOf(id))?.filter(({ kind }) => kind === 'server') ?? [];
      // Names of Servers that were made anew under another one stay known: only the list tells which is there.
      if (alias !== undefined && others.length === 0) return alias.value;
      const isKnown = names.has(id) && others.length === 0;
      if (!isKnown && clock.monotonic() - listedAt > listMs) {
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
      return { manufacturer, model, versionsToStore };
    },
  };
}

/** Lists what is to be had for models, as the objects say it. */
export function createKubeDiscovered(client: Pick<KubeClient, 'resource'>): () => Promise<readonly WantedVersions[]> {
  const objects = client.resource<DiscoveredFirmware & KubeObject>({
    group,
    version,
    resource: 'discoveredfirmwares',
    namespaced: false,
  });
  return async () => {
    const { items } = await objects.list({});
    return items.map(({ metadata, spec, status }) => {
      const { manufacturer, model, versionsToStore = 3 } = spec;
      const bios = status?.bios === undefined ? [] : [{ name: 'bios', manufacturer, versions: status.bios.versions }];
      const others = (status?.firmwares ?? []).map((each) => ({
        name: each.name,
        manufacturer: each.manufacturer,
        versions: each.versions ?? each.version ?? [],
      }));
      return { name: metadata.name ?? '', manufacturer, model, versionsToStore, available: [...bios, ...others] };
    });
  };
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
