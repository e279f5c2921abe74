import assert from 'node:assert/strict';
import {
  type BareMetalHost,
  crdOf,
  type FixtureSwitch,
  type FixtureSwitchSpec,
  type HostPort,
  metal3ApiVersion,
  metal3Kinds,
  type Switch,
  type SwitchPort,
  type SwitchPortConfiguration,
  type SwitchPortConfigurationSpec,
  type SwitchResourceLimit,
  type SwitchSpec,
} from '../../api/index.ts';
import { startTestApi } from '../../apiserver/index.ts';
import {
  type AdmissionRule,
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  inProcessAdmission,
  installDefinitions,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  parseKey,
  type ResourceClient,
  systemClock,
} from '../../kube/index.ts';
import { createFixtureRack, type FixtureRack, type PortSettings } from '../../switches/index.ts';
import { providerResources, resources } from '../resources.ts';
import type { NetworkSettings } from '../settings.ts';
import { type NetworkControllers, type NetworkControllersOptions, startNetworkControllers } from '../start.ts';

/** For tests: an embedded API server with the kinds of this room, and a client of it. */
export interface ApiRig<C extends ConnectionSpec = ConnectionSpec & { readonly server: string }> {
  readonly client: KubeClient;
  readonly connection: C;
  readonly switches: ResourceClient<Switch & KubeObject>;
  readonly ports: ResourceClient<SwitchPort & KubeObject>;
  readonly configurations: ResourceClient<SwitchPortConfiguration & KubeObject>;
  readonly limits: ResourceClient<SwitchResourceLimit & KubeObject>;
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly fixtures: ResourceClient<FixtureSwitch & KubeObject>;
  close(): Promise<void>;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };

/** For tests: starts an API server in a folder of its own. */
export function startApi(rules: readonly AdmissionRule[] = []): Promise<ApiRig> {
  return startTestApi(openApi, { admission: inProcessAdmission(rules).hooks });
}

/** For tests: installs the kinds of this room into an API server that runs. */
export async function openApi<C extends ConnectionSpec>(connection: C): Promise<ApiRig<C>> {
  const client = await createClient(connection);
  const definitions = metal3Kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  return {
    client,
    connection,
    switches: client.resource(resources.switches),
    ports: client.resource(resources.ports),
    configurations: client.resource(resources.configurations),
    limits: client.resource(resources.limits),
    hosts: client.resource(resources.hosts),
    fixtures: client.resource(providerResources.FixtureSwitch),
    close: () => client.close(),
  };
}

/** For tests: running controllers on an API server, with a rack of make-believe switches. */
export interface ControllerRig {
  readonly controllers: NetworkControllers;
  readonly rack: FixtureRack;
  stop(): Promise<void>;
}

/** For tests: waits are short, so that nobody has to. */
export const quickSettings: Partial<NetworkSettings> = {
  gatherMs: 1,
  retryFromMs: 20,
  retryToMs: 100,
  callMs: 5000,
  settleMs: 50,
};

/** For tests: starts the controllers and waits for their caches. */
export async function startControllers(
  api: Pick<ApiRig<ConnectionSpec>, 'connection'>,
  more: Partial<NetworkControllersOptions> & { readonly rack?: FixtureRack } = {},
): Promise<ControllerRig> {
  const rack = more.rack ?? createFixtureRack({ clock: more.clock ?? systemClock });
  const client = await createClient(api.connection);
  const controllers = startNetworkControllers({
    providers: { open: (access) => rack.open(access, access.kind === 'FixtureSwitch' ? access.spec : {}) },
    clock: systemClock,
    random: Math.random,
    ...more,
    settings: { ...quickSettings, ...more.settings },
    client,
  });
  await controllers.whenSynced();
  return {
    controllers,
    rack,
    async stop() {
      await controllers.stop();
      await client.close();
    },
  };
}

/** For tests: makes a namespace. */
export async function putNamespace({ client }: Pick<ApiRig, 'client'>, name: string): Promise<void> {
  await client.resource<AnyKubeObject>(namespaces).apply({ metadata: { name } }, { fieldManager: 'test' });
}

/** For tests: makes a Switch with a make-believe device behind it, each of the same name. */
export async function putSwitch(
  { switches, fixtures }: Pick<ApiRig, 'switches' | 'fixtures'>,
  key: string,
  more: { readonly spec?: Partial<SwitchSpec>; readonly fixture?: FixtureSwitchSpec } = {},
): Promise<Switch> {
  const metadata = { ...parseKey(key) } as { name: string; namespace: string };
  await fixtures.create({ apiVersion: metal3ApiVersion, kind: 'FixtureSwitch', metadata, spec: more.fixture ?? {} });
  const provider = { kind: 'FixtureSwitch', name: metadata.name } as const;
  const spec = { provider, ports: { [`${metadata.name}-1`]: { name: 'Ethernet1' } }, ...more.spec };
  return switches.create({ apiVersion: metal3ApiVersion, kind: 'Switch', metadata, spec });
}

/** For tests: makes a configuration. */
export function putConfiguration(
  { configurations }: Pick<ApiRig, 'configurations'>,
  key: string,
  spec: SwitchPortConfigurationSpec,
): Promise<SwitchPortConfiguration> {
  const metadata = { ...parseKey(key) } as { name: string; namespace: string };
  return configurations.create({ apiVersion: metal3ApiVersion, kind: 'SwitchPortConfiguration', metadata, spec });
}

/** For tests: makes the limit of a namespace. */
export function putLimit(
  { limits }: Pick<ApiRig, 'limits'>,
  namespace: string,
  vlanRange: string,
): Promise<SwitchResourceLimit> {
  const metadata = { name: 'user-limit', namespace };
  return limits.create({ apiVersion: metal3ApiVersion, kind: 'SwitchResourceLimit', metadata, spec: { vlanRange } });
}

/** For tests: makes a host that is plugged in. */
export function putHost(
  { hosts }: Pick<ApiRig, 'hosts'>,
  key: string,
  ports: readonly HostPort[],
): Promise<BareMetalHost> {
  const metadata = { ...parseKey(key) } as { name: string; namespace: string };
  const spec = { online: true, ports: [...ports] };
  return hosts.create({ apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata, spec });
}

/** For tests: links a configuration to a port, or none. */
export async function link(
  { ports }: Pick<ApiRig, 'ports'>,
  port: string,
  configuration: string | undefined,
): Promise<void> {
  const link = configuration === undefined ? null : parseKey(configuration);
  await ports.patch(parseKey(port), { type: 'merge', body: { spec: { configuration: link } } });
}

/** For tests: what a make-believe switch has on a port, without what is off. */
export function onDevice(rack: FixtureRack, name: string, port = 'Ethernet1'): Partial<PortSettings> {
  const { isDisabled, untaggedVlan, taggedVlans, acl } = rack
    .switchOf(parseKey(name) as { name: string; namespace: string })
    ?.portOf(port) ?? { isDisabled: false, taggedVlans: [], acl: [] };
  return {
    ...(isDisabled ? { isDisabled } : {}),
    ...(untaggedVlan === undefined ? {} : { untaggedVlan }),
    ...(taggedVlans.length === 0 ? {} : { taggedVlans }),
    ...(acl.length === 0 ? {} : { acl }),
  };
}

/** For tests: waits until an object is as told, by watching it; says how it last was when that takes too long. */
export async function until<T extends KubeObject>(
  client: ResourceClient<T>,
  key: string | ObjectKey,
  isSo: (object: T) => boolean,
): Promise<T> {
  const { name, namespace } = typeof key === 'string' ? parseKey(key) : key;
  let last: T | undefined;
  const limit = AbortSignal.timeout(120_000);
  const selection = { fieldSelector: `metadata.name=${name}`, namespace, signal: limit };
  try {
    for await (const event of client.watch(selection)) {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
      last = event.object;
      if (isSo(last)) return last;
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} ${name} did not become as it should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until an object is gone. */
export async function untilGone<T extends KubeObject>(client: ResourceClient<T>, key: string): Promise<void> {
  const { name, namespace } = parseKey(key);
  const limit = AbortSignal.timeout(120_000);
  let last: T | undefined;
  try {
    const { resourceVersion } = await client.list({ namespace });
    const watch = client.watch({ fieldSelector: `metadata.name=${name}`, namespace, resourceVersion, signal: limit });
    last = await client.get(parseKey(key));
    for await (const event of watch) {
      if (event.type === 'DELETED') return;
      if (event.type !== 'BOOKMARK') last = event.object;
    }
  } catch (error) {
    if (isNotFound(error)) return;
    if (!limit.aborted) throw error;
  }
  assert.fail(`${client.ref.resource} ${key} did not go: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until a port is in a state without an error. */
export function untilState(
  api: Pick<ApiRig, 'ports'>,
  port: string,
  state: string,
  configuration?: string,
): Promise<SwitchPort> {
  return until(api.ports, port, ({ status }) => {
    const isLinked = configuration === undefined || status?.configurationRef?.name === configuration;
    return status?.state === state && status.error === undefined && isLinked;
  });
}

/** For tests: waits until a port is in error for a reason. */
export function untilError(api: Pick<ApiRig, 'ports'>, port: string, reason: string): Promise<SwitchPort> {
  return until(api.ports, port, ({ status }) => status?.error?.reason === reason);
}

/** For tests: the reasons of events about an object, with their messages. */
export async function eventsOf(
  api: Pick<ApiRig, 'client'>,
  key: string,
): Promise<{ reason: string; message: string }[]> {
  const { name, namespace } = parseKey(key);
  const events = { group: '', version: 'v1', resource: 'events', namespaced: true };
  const { items } = await api.client.resource<AnyKubeObject>(events).list({ namespace });
  return items
    .filter(({ involvedObject }) => (involvedObject as { name?: string }).name === name)
    .map(({ reason, message }) => ({ reason: String(reason), message: String(message) }));
}

/** For tests: waits until an event about an object has been told; its message. */
export async function untilEvent(
  api: Pick<ApiRig, 'client'>,
  { about, reason }: { readonly about: string; readonly reason: string },
): Promise<string> {
  const { name, namespace } = parseKey(about);
  const limit = AbortSignal.timeout(120_000);
  const events = api.client.resource<AnyKubeObject>({ group: '', version: 'v1', resource: 'events', namespaced: true });
  try {
    for await (const event of events.watch({ namespace, signal: limit })) {
      if (event.type === 'BOOKMARK') continue;
      const { involvedObject, ...told } = event.object as AnyKubeObject & { involvedObject?: { name?: string } };
      if (involvedObject?.name === name && told.reason === reason) return String(told.message);
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`nobody told of ${reason} about ${about}`);
}
