import assert from 'node:assert/strict';
import {
  type BareMetalHost,
  type BareMetalHostDiscovery,
  type BareMetalHostDiscoverySpec,
  crdOf,
  type HardwareClassification,
  metal3ApiVersion,
  metal3Kinds,
} from '../../api/index.ts';
import { startTestApi, type TestConnection } from '../../apiserver/index.ts';
import {
  type AdmissionRule,
  type AnyKubeObject,
  type Clock,
  createClient,
  inProcessAdmission,
  installDefinitions,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  systemClock,
} from '../../kube/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { ClaimObject } from '../claims/claim.ts';
import { resources } from '../resources.ts';
import { defaultDiscoverySettings } from '../settings.ts';
import { type DiscoveryControllers, type DiscoveryControllersOptions, startDiscoveryControllers } from '../start.ts';
import { createScriptedSource, type ScriptedSource } from './scripted-source.ts';

/** For tests: an API server with the kinds of this room, and a client of it. */
export interface DiscoveryApi {
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly discoveries: ResourceClient<BareMetalHostDiscovery & KubeObject>;
  readonly classifications: ResourceClient<HardwareClassification & KubeObject>;
  readonly claims: ResourceClient<ClaimObject>;
  readonly events: ResourceClient<AnyKubeObject>;
  connect(metrics?: Metrics): Promise<KubeClient>;
  makeNamespace(name: string): Promise<void>;
  close(): Promise<void>;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
const eventsRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

/** For tests: the namespace that hosts are made in. */
export const fleet = 'fleet';

/** For tests: where claims are kept. */
export const claimNamespace = defaultDiscoverySettings.claimNamespace;

/** For tests: starts an embedded API server in a folder of its own. */
export function startDiscoveryApi(rules: readonly AdmissionRule[] = []): Promise<DiscoveryApi> {
  return startTestApi(openDiscoveryApi, { admission: inProcessAdmission(rules).hooks });
}

async function openDiscoveryApi(connection: TestConnection): Promise<DiscoveryApi> {
  const connect = (metrics?: Metrics): Promise<KubeClient> =>
    createClient(connection, metrics === undefined ? {} : { metrics });
  const client = await connect();
  const definitions = metal3Kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  const makeNamespace = async (name: string): Promise<void> => {
    const write = { fieldManager: 'test', isForced: true };
    await client.resource<AnyKubeObject>(namespaces).apply({ metadata: { name } }, write);
  };
  await makeNamespace(fleet);
  await makeNamespace(claimNamespace);
  return {
    hosts: client.resource(resources.hosts),
    discoveries: client.resource(resources.discoveries),
    classifications: client.resource(resources.classifications),
    claims: client.resource(resources.claims),
    events: client.resource(eventsRef),
    connect,
    makeNamespace,
    close: () => client.close(),
  };
}

/** For tests: running controllers with a source that is played. */
export interface DiscoveryRig {
  readonly controllers: DiscoveryControllers;
  readonly source: ScriptedSource;
  stop(): Promise<void>;
}

/** For tests: a clock that runs faster, so that nobody waits for polls. */
export const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * hurry,
  after: (delayMs, callback) => systemClock.after(delayMs / hurry, callback),
};

const hurry = 20;

/** For tests: starts the controllers and waits for their caches. */
export async function startDiscoveryRig(
  api: DiscoveryApi,
  more: Partial<DiscoveryControllersOptions> & { readonly source?: ScriptedSource } = {},
): Promise<DiscoveryRig> {
  const { source = createScriptedSource(), ...options } = more;
  const client = options.client ?? (await api.connect());
  const controllers = startDiscoveryControllers({
    clock: fastClock,
    random: Math.random,
    sources: [source],
    ...options,
    settings: { gatherMs: 1, createWithinMs: 300_000, retakeMs: 600_000, ...options.settings },
    client,
  });
  await controllers.whenSynced();
  return {
    controllers,
    source,
    async stop() {
      await controllers.stop();
      await client.close();
    },
  };
}

/** For tests: a BareMetalHostDiscovery. */
export function aDiscovery(name: string, spec: Partial<BareMetalHostDiscoverySpec> = {}, namespace = fleet) {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHostDiscovery',
    metadata: { namespace, name },
    spec: { resourceNameTemplate: { hardwareDetails: 'hostname' }, pollIntervalSeconds: 5, ...spec },
  } as BareMetalHostDiscovery & KubeObject;
}

/** For tests: a host as somebody registers it. */
export function aHost(name: string, bootMACAddress: string | undefined, namespace = fleet): BareMetalHost & KubeObject {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace, name },
    spec: { online: true, ...(bootMACAddress === undefined ? {} : { bootMACAddress }) },
  };
}

/** For tests: waits until all objects of a kind are as told, looking again at every change. */
export async function untilAll<T extends KubeObject>(
  client: ResourceClient<T>,
  isSo: (objects: readonly T[]) => boolean,
  { limitMs } = { limitMs: 120_000 },
): Promise<readonly T[]> {
  const signal = AbortSignal.timeout(limitMs);
  let last: readonly T[] = [];
  try {
    for (;;) {
      const { items, resourceVersion } = await client.list({ signal });
      last = items;
      if (isSo(items)) return items;
      for await (const event of client.watch({ resourceVersion, signal })) {
        if (event.type !== 'BOOKMARK') break;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} did not become as they should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until one object is as told. */
export async function until<T extends KubeObject>(
  client: ResourceClient<T>,
  name: string,
  isSo: (object: T) => boolean,
): Promise<T> {
  const named = (objects: readonly T[]): T | undefined => objects.find(({ metadata }) => metadata?.name === name);
  const found = named(
    await untilAll(client, (objects) => {
      const object = named(objects);
      return object !== undefined && isSo(object);
    }),
  );
  assert.ok(found !== undefined);
  return found;
}

/** For tests: the names of objects, sorted. */
export function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata?.name ?? '').toSorted();
}
