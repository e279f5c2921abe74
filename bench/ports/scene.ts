import { crdOf, metal3ApiVersion, metal3Kinds, type SwitchPort } from '../../src/api/index.ts';
import {
  type AnyKubeObject,
  createInformer,
  installDefinitions,
  type KubeClient,
  type KubeObject,
  systemClock,
} from '../../src/kube/index.ts';
import { bridge } from './ovsdb-servers.ts';

/** The namespace of everything. */
export const infra = 'bench-ports';

type Kind = 'switches' | 'fixtureswitches' | 'ovsswitches' | 'switchports' | 'switchportconfigurations';

/** Where objects of a kind are. */
export function refOf(resource: Kind) {
  return { group: 'metal3.io', version: 'v1alpha1', resource, namespaced: true };
}

/** A switch of the bench and the names of its ports on it. */
export interface SceneSwitch {
  readonly name: string;
  readonly ports: readonly string[];
  /** Of its database; undefined for one of memory. */
  readonly address?: string | undefined;
}

/** So many ports spread over so many switches. */
export function spreadPorts(ports: number, switches: number): readonly (readonly string[])[] {
  return Array.from({ length: switches }, (_, at) => {
    const count = Math.floor(ports / switches) + (at < ports % switches ? 1 : 0);
    return Array.from({ length: count }, (_, index) => `eth${index + 1}`);
  });
}

/** Installs the kinds and makes the namespace and the configurations. */
export async function prepareScene(client: KubeClient): Promise<void> {
  const definitions = metal3Kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'bench' });
  const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
  const apply = { fieldManager: 'bench', isForced: true };
  await client.resource<AnyKubeObject>(namespaces).apply({ metadata: { name: infra } }, apply);
  const configurations = client.resource<AnyKubeObject>(refOf('switchportconfigurations'));
  for (const [name, spec] of Object.entries({
    first: { untaggedVLAN: 10, vlans: '20-22' },
    second: { untaggedVLAN: 11 },
  }))
    await configurations.create(objectOf('SwitchPortConfiguration', name, spec));
}

/** Makes switches with their ways to be talked to. */
export async function putSwitches(client: KubeClient, switches: readonly SceneSwitch[]): Promise<void> {
  await inTurns(switches, async ({ name, ports, address }) => {
    const isReal = address !== undefined;
    const kind = isReal ? 'OVSSwitch' : 'FixtureSwitch';
    const way = client.resource<AnyKubeObject>(refOf(isReal ? 'ovsswitches' : 'fixtureswitches'));
    await way.create(objectOf(kind, name, isReal ? { address, bridge } : { ports: [...ports] }));
    const listed = Object.fromEntries(ports.map((port) => [`${name}-${port}`, { name: port }]));
    const spec = { provider: { kind, name }, parkingVLAN: 999, ports: listed };
    await client.resource<AnyKubeObject>(refOf('switches')).create(objectOf('Switch', name, spec));
  });
}

function objectOf(kind: string, name: string, spec: object): AnyKubeObject {
  return { apiVersion: metal3ApiVersion, kind, metadata: { namespace: infra, name }, spec } as AnyKubeObject;
}

/** Links a configuration to ports, or none, as fast as the API server takes it. */
export async function linkPorts(
  client: KubeClient,
  ports: readonly string[],
  configuration: string | undefined,
): Promise<void> {
  const resource = client.resource<AnyKubeObject>(refOf('switchports'));
  const link = configuration === undefined ? null : { name: configuration, namespace: infra };
  await inTurns(ports, (name) =>
    resource.patch({ namespace: infra, name }, { type: 'merge', body: { spec: { configuration: link } } }),
  );
}

/** Follows how far ports are. */
export interface PortProgress {
  /** Resolves when so many ports have the configuration, or are clean; rejects when that takes too long. */
  whenSo(count: number, configuration: string | undefined): Promise<void>;
  stop(): Promise<void>;
}

type Port = SwitchPort & KubeObject;

/** An operator that is far too slow is given up. */
const limitMs = 600_000;

/** Starts to follow the ports of the bench. */
export async function followPorts(client: KubeClient): Promise<PortProgress> {
  const states = new Map<string, string>();
  let wanted: { readonly state: string; readonly count: number; readonly resolve: () => void } | undefined;
  const countOf = (state: string): number => [...states.values()].filter((each) => each === state).length;
  const options = { client, clock: systemClock, random: Math.random, resource: refOf('switchports'), namespace: infra };
  const informer = createInformer<Port>(options);
  informer.onChange((key, { current }) => {
    states.set(key, current === undefined ? 'gone' : stateOf(current));
    if (wanted !== undefined && states.get(key) === wanted.state && countOf(wanted.state) >= wanted.count)
      wanted.resolve();
  });
  informer.start();
  await informer.whenSynced();
  return {
    async whenSo(count, configuration) {
      const state = configuration === undefined ? 'Idle' : `Active ${configuration}`;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = () =>
        reject(
          new Error(`${countOf(state)} of ${count} ports are ${state}: ${[...new Set(states.values())].join(', ')}`),
        );
      const timer = setTimeout(late, limitMs);
      wanted = { state, count, resolve };
      if (countOf(state) >= count) resolve();
      await promise.finally(() => clearTimeout(timer));
    },
    stop: () => informer.stop(),
  };
}

/** A state counts once the controller has seen what is wanted now. */
function stateOf({ metadata, spec, status }: Port): string {
  if (status?.error !== undefined) return `in error: ${status.error.message}`;
  if (status?.observedGeneration !== metadata.generation) return 'not looked at';
  if (status?.state === 'Idle' && spec?.configuration === undefined) return 'Idle';
  return `${status?.state ?? 'without a state'} ${status?.configurationRef?.name ?? ''}`;
}

/** As many at a time as the client has connections for. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: 32 }, work));
}
