import type {
  AnsibleSwitch,
  BareMetalHost,
  FixtureSwitch,
  HostPort,
  ObjectMeta,
  OVSSwitch,
  ProviderSwitchKind,
  ProvisioningState,
  Switch,
  SwitchPort,
  SwitchPortConfiguration,
  SwitchResourceLimit,
} from '../../api/index.ts';
import type { Indexer, KubeObject, ObjectTable } from '../../kube/index.ts';
import { linkedByAnnotation, machinePortsAnnotation } from '../resources.ts';
import { namespaceOf, objectKey, referenceKey } from './references.ts';

/** What ports need to know of a host. */
export interface PluggedHost extends KubeObject {
  metadata: ObjectMeta;
  spec: {
    readonly ports?: readonly HostPort[] | undefined;
    readonly consumerRef?: { readonly kind?: string | undefined; readonly name?: string | undefined } | undefined;
  };
  readonly status?: {
    readonly operationalStatus?: string | undefined;
    readonly provisioning?: { readonly state?: ProvisioningState | undefined } | undefined;
  };
}

/** An object that knows how to talk to a switch. */
export type ProviderSwitch = AnsibleSwitch | OVSSwitch | FixtureSwitch;

/** What caches hold. */
export interface NetworkObjects {
  readonly switches: Switch & KubeObject;
  readonly ports: SwitchPort & KubeObject;
  readonly configurations: SwitchPortConfiguration & KubeObject;
  readonly limits: SwitchResourceLimit & KubeObject;
  readonly hosts: PluggedHost;
}

/** Everything that decisions of this room look at: informers, or listings. */
export type NetworkTables = { readonly [K in keyof NetworkObjects]: ObjectTable<NetworkObjects[K]> } & {
  readonly providers: { readonly [K in ProviderSwitchKind]: ObjectTable<ProviderSwitch & KubeObject> };
};

/** Keeps of a host what this room looks at: hosts are large, and there are many. */
export function pluggedHostOf(host: BareMetalHost | KubeObject): PluggedHost {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, resourceVersion } = host.metadata ?? {};
  const written = host.metadata?.annotations?.[machinePortsAnnotation];
  const annotations = written === undefined ? undefined : { [machinePortsAnnotation]: written };
  const metadata = { name, namespace, uid, creationTimestamp, deletionTimestamp, resourceVersion, annotations };
  const known = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
  const { spec, status } = host as Partial<PluggedHost>;
  const { ports, consumerRef } = spec ?? {};
  // A host without ports is none that anybody here looks at.
  if (ports === undefined || ports.length === 0)
    return { metadata: known as ObjectMeta, spec: ports === undefined ? {} : { ports } };
  const { kind, name: consumer } = consumerRef ?? {};
  return {
    metadata: known as ObjectMeta,
    spec: { ports, ...(consumerRef === undefined ? {} : { consumerRef: { kind, name: consumer } }) },
    status: { operationalStatus: status?.operationalStatus, provisioning: { state: status?.provisioning?.state } },
  };
}

/** The key of a provider among all kinds of them. */
export function providerKey({ spec, ...object }: Switch): string {
  return `${spec.provider.kind}/${referenceKey(spec.provider, namespaceOf(object))}`;
}

/** Switches by the ports they list, and by the provider they use. */
export const switchIndexers: Readonly<Record<string, Indexer<NetworkObjects['switches']>>> = {
  port: (each) => Object.keys(each.spec.ports ?? {}).map((name) => `${namespaceOf(each)}/${name}`),
  provider: (each) => [providerKey(each)],
};

/** Ports by the configurations they are linked to or have, by the tenant that uses them, and by the host that linked them. */
export const portIndexers: Readonly<Record<string, Indexer<NetworkObjects['ports']>>> = {
  configuration: (port) => {
    const links = [port.spec?.configuration, port.status?.configurationRef];
    return [...new Set(links.flatMap((link) => (link === undefined ? [] : referenceKey(link, namespaceOf(port)))))];
  },
  tenant: ({ status }) => (status?.hostRef === undefined ? [] : [status.hostRef.namespace]),
  linkedBy: ({ metadata }) => {
    const host = metadata.annotations?.[linkedByAnnotation];
    return host === undefined ? [] : [host];
  },
  owner: (port) =>
    (port.metadata.ownerReferences ?? [])
      .filter(({ kind }) => kind === 'Switch')
      .map(({ name }) => `${namespaceOf(port)}/${name}`),
};

/** Hosts by the ports they are plugged into, those that are by their namespace, and by the configurations they name. */
export const hostIndexers: Readonly<Record<string, Indexer<PluggedHost>>> = {
  port: (host) => (host.spec.ports ?? []).map(({ port }) => referenceKey(port, namespaceOf(host))),
  tenant: (host) => ((host.spec.ports ?? []).length === 0 ? [] : [namespaceOf(host)]),
  configuration: (host) => [...new Set((host.spec.ports ?? []).flatMap((entry) => linksOf(entry, host)))],
};

function linksOf({ configuration, provisioningConfiguration }: HostPort, host: PluggedHost): string[] {
  return [configuration, provisioningConfiguration].flatMap((link) =>
    link === undefined ? [] : referenceKey(link, namespaceOf(host)),
  );
}

/** Who uses a configuration, for people: `SwitchPort fleet/leaf1-eth7`. */
export function usersOf(tables: Pick<NetworkTables, 'ports' | 'hosts'>, configuration: string): string[] {
  return [
    ...tables.ports.byIndex('configuration', configuration).map((port) => `SwitchPort ${objectKey(port)}`),
    ...tables.hosts.byIndex('configuration', configuration).map((host) => `BareMetalHost ${objectKey(host)}`),
  ].toSorted();
}
