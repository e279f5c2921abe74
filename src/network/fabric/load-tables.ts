import { type BareMetalHost, userLimitName } from '../../api/index.ts';
import {
  createTable,
  formatKey,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  parseKey,
} from '../../kube/index.ts';
import { providerResources, resources } from '../resources.ts';
import { namespaceOf, objectKey, referenceKey } from './references.ts';
import {
  hostIndexers,
  type NetworkObjects,
  type NetworkTables,
  type ProviderSwitch,
  pluggedHostOf,
  portIndexers,
  switchIndexers,
} from './tables.ts';

/** Everything of one moment, with the hosts as they are. */
export interface LoadedNetwork {
  readonly tables: NetworkTables;
  readonly hosts: readonly BareMetalHost[];
  /** Keys of ports of which whoever asks may not see all that decisions look at, such as the Switch. */
  readonly hidden: ReadonlySet<string>;
}

/** How to list. */
export interface LoadOptions {
  /** Where to look for those who may not list everywhere. */
  readonly namespace?: string | undefined;
  /** Keys that may be those of ports in other namespaces: they are read by name, with their hosts. */
  readonly ports?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Ref = Parameters<KubeClient['resource']>[0];

/** Objects of a kind: those that may be listed, and by name those that may be read only. */
interface Shelf<T extends KubeObject> {
  readonly objects: Map<string, T>;
  /** True when it is there, `hidden` when it may not be read. */
  get(key: string): Promise<boolean | 'hidden'>;
}

/** Lists all that decisions look at, for whoever decides without following: `rackwright plan network`. */
export async function loadNetwork(client: KubeClient, options: LoadOptions = {}): Promise<LoadedNetwork> {
  const open = <T extends KubeObject>(ref: Ref): Promise<Shelf<T>> => openShelf<T>(client, ref, options);
  const [switches, ports, configurations, limits, hosts, ansible, ovs, fixture] = await Promise.all([
    open<NetworkObjects['switches']>(resources.switches),
    open<NetworkObjects['ports']>(resources.ports),
    open<NetworkObjects['configurations']>(resources.configurations),
    open<NetworkObjects['limits']>(resources.limits),
    open<BareMetalHost & KubeObject>(resources.hosts),
    open<ProviderSwitch & KubeObject>(providerResources.AnsibleSwitch),
    open<ProviderSwitch & KubeObject>(providerResources.OVSSwitch),
    open<ProviderSwitch & KubeObject>(providerResources.FixtureSwitch),
  ]);
  for (const key of options.ports ?? []) {
    await ports.get(key);
    const { hostRef } = ports.objects.get(key)?.status ?? {};
    if (hostRef !== undefined) await hosts.get(formatKey(hostRef));
  }
  for (const host of [...hosts.objects.values()]) {
    for (const { port } of host.spec?.ports ?? []) await ports.get(referenceKey(port, namespaceOf(host)));
  }
  const hidden = new Set<string>();
  for (const port of ports.objects.values()) {
    const { hostRef } = port.status ?? {};
    const home = namespaceOf(port);
    const host = hostRef === undefined ? [] : [hosts.get(`${hostRef.namespace}/${hostRef.name}`)];
    const limit = hostRef === undefined ? [] : [limits.get(`${hostRef.namespace}/${userLimitName}`)];
    const owners = (port.metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Switch');
    const link = port.spec?.configuration;
    const found = await Promise.all([
      ...[...host, ...limit],
      ...owners.map(({ name }) => switches.get(`${home}/${name}`)),
      ...(link === undefined ? [] : [configurations.get(referenceKey(link, home))]),
    ]);
    if (found.includes('hidden')) hidden.add(objectKey(port));
  }
  const all = [...hosts.objects.values()];
  return {
    hosts: all,
    hidden,
    tables: {
      switches: createTable([...switches.objects.values()], switchIndexers),
      ports: createTable([...ports.objects.values()], portIndexers),
      configurations: createTable([...configurations.objects.values()]),
      limits: createTable([...limits.objects.values()]),
      hosts: createTable(all.map(pluggedHostOf), hostIndexers),
      providers: {
        AnsibleSwitch: createTable([...ansible.objects.values()]),
        OVSSwitch: createTable([...ovs.objects.values()]),
        FixtureSwitch: createTable([...fixture.objects.values()]),
      },
    },
  };
}

/** Lists everywhere, else in one namespace; what was not listed is read by name. */
async function openShelf<T extends KubeObject>(
  client: KubeClient,
  ref: Ref,
  { namespace, signal }: LoadOptions,
): Promise<Shelf<T>> {
  const resource = client.resource<T>(ref);
  const call = signal === undefined ? {} : { signal };
  const listed = await unlessForbidden(async () => (await resource.list(call)).items);
  const isAll = listed !== undefined;
  const here =
    isAll || namespace === undefined
      ? undefined
      : await unlessForbidden(async () => (await resource.list({ ...call, namespace })).items);
  const objects = new Map((listed ?? here ?? []).map((object) => [objectKey(object), object]));
  const asked = new Map<string, Promise<boolean | 'hidden'>>();
  const read = async (key: string): Promise<boolean | 'hidden'> => {
    try {
      objects.set(key, await resource.get(parseKey(key), call));
      return true;
    } catch (error) {
      if (isForbidden(error)) return 'hidden';
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  return {
    objects,
    async get(key) {
      const isListed = isAll || (here !== undefined && key.startsWith(`${namespace}/`));
      if (objects.has(key) || isListed) return objects.has(key);
      const reading = asked.get(key) ?? read(key);
      asked.set(key, reading);
      return reading;
    },
  };
}

async function unlessForbidden<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return undefined;
  }
}
