import assert from 'node:assert/strict';
import {
  type BareMetalHost,
  type BareMetalHostSpec,
  type BareMetalHostStatus,
  type Cluster,
  clusterApiVersion,
  clusterKinds,
  convertCluster,
  convertInfrastructure,
  crdOf,
  infrastructureApiVersion,
  infrastructureGroup,
  type KindDeclaration,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  type Metal3Cluster,
  type Metal3Machine,
  type Metal3MachineSpec,
  type Metal3MachineTemplate,
  metal3ApiVersion,
  metal3Kinds,
} from '../../api/index.ts';
import { inProcessConverter, renameOnly, startTestApi } from '../../apiserver/index.ts';
import {
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  installDefinitions,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  systemClock,
} from '../../kube/index.ts';
import type { Node } from '../objects.ts';
import { coreResources, resources } from '../resources.ts';
import { type MachineControllers, type MachineControllersOptions, startMachineControllers } from '../start.ts';

/** For tests: an API server with the kinds of this room, and a client of it. */
export interface MachineApi {
  readonly client: KubeClient;
  readonly connection: ConnectionSpec;
  readonly metal3Machines: ResourceClient<Metal3Machine & KubeObject>;
  readonly metal3Clusters: ResourceClient<Metal3Cluster & KubeObject>;
  readonly templates: ResourceClient<Metal3MachineTemplate & KubeObject>;
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly clusters: ResourceClient<Cluster & KubeObject>;
  readonly machines: ResourceClient<Machine & KubeObject>;
  readonly sets: ResourceClient<MachineSet & KubeObject>;
  readonly deployments: ResourceClient<MachineDeployment & KubeObject>;
  readonly nodes: ResourceClient<Node>;
  readonly secrets: ResourceClient<AnyKubeObject>;
  close(): Promise<void>;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };

/** For tests: the namespace that all is made in. */
export const fleet = 'fleet';

type Convert = Parameters<typeof inProcessConverter>[0];

/** For tests: starts an embedded API server in a folder of its own. */
export function startMachineApi(): Promise<MachineApi> {
  return startTestApi((connection) => openMachineApi(connection), {
    converterFor: ({ spec }) => {
      if (spec.group === infrastructureGroup) return inProcessConverter(convertInfrastructure as unknown as Convert);
      return spec.group === 'cluster.x-k8s.io' ? inProcessConverter(convertCluster as unknown as Convert) : renameOnly;
    },
  });
}

/** For tests: installs the kinds of this room into an API server that runs. */
export async function openMachineApi(
  connection: ConnectionSpec,
  kinds: readonly KindDeclaration[] = [...clusterKinds, ...metal3Kinds.filter(({ kind }) => kind === 'BareMetalHost')],
): Promise<MachineApi> {
  const client = await createClient(connection);
  const definitions = kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  await client
    .resource<AnyKubeObject>(namespaces)
    .apply({ metadata: { name: fleet } }, { fieldManager: 'test', isForced: true });
  const core = coreResources('v1beta2');
  return {
    client,
    connection,
    metal3Machines: client.resource(resources.metal3Machines),
    metal3Clusters: client.resource(resources.metal3Clusters),
    templates: client.resource(resources.templates),
    hosts: client.resource(resources.hosts),
    clusters: client.resource(core.clusters),
    machines: client.resource(core.machines),
    sets: client.resource(core.sets),
    deployments: client.resource(core.deployments),
    nodes: client.resource(resources.nodes),
    secrets: client.resource(resources.secrets),
    close: () => client.close(),
  };
}

/** For tests: running controllers. */
export interface MachineRig {
  readonly controllers: MachineControllers;
  stop(): Promise<void>;
}

/** For tests: starts the controllers and waits for their caches. */
export async function startMachineRig(
  { connection }: Pick<MachineApi, 'connection'>,
  more: Partial<MachineControllersOptions> = {},
): Promise<MachineRig> {
  const client = await createClient(connection);
  const controllers = startMachineControllers({
    clock: systemClock,
    random: Math.random,
    ...more,
    settings: { nodePollMs: 50, gatherMs: 1, ...more.settings },
    client,
  });
  await controllers.whenSynced();
  return {
    controllers,
    async stop() {
      await controllers.stop();
      await client.close();
    },
  };
}

/** For tests: an image. */
export const image = { url: 'http://images.example/node.qcow2', checksum: 'abc', checksumType: 'sha256' as const };

/** For tests: makes a Cluster with its Metal3Cluster. */
export async function putCluster({ clusters, metal3Clusters }: MachineApi, name: string): Promise<void> {
  await metal3Clusters.create({
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Cluster',
    metadata: { namespace: fleet, name },
    spec: { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 }, failureDomains: [{ name: 'row-a' }] },
  });
  await clusters.create({
    apiVersion: clusterApiVersion,
    kind: 'Cluster',
    metadata: { namespace: fleet, name },
    spec: { infrastructureRef: { apiGroup: infrastructureGroup, kind: 'Metal3Cluster', name } },
  });
}

/** For tests: makes a MachineSet with its template, and the Secret with the bootstrap data. */
export async function putSet(
  api: MachineApi,
  name: string,
  more: {
    readonly replicas?: number;
    readonly machine?: Partial<Metal3MachineSpec>;
    readonly isReused?: boolean;
    readonly annotations?: Record<string, string>;
    readonly cluster?: string;
  } = {},
): Promise<MachineSet & KubeObject> {
  const { replicas = 1, cluster = 'prod' } = more;
  await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleet, name: `${name}-boot` } });
  await api.templates.create({
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3MachineTemplate',
    metadata: { namespace: fleet, name },
    spec: { nodeReuse: more.isReused ?? false, template: { spec: { image, ...more.machine } } },
  });
  return api.sets.create({
    apiVersion: clusterApiVersion,
    kind: 'MachineSet',
    metadata: { namespace: fleet, name, ...(more.annotations === undefined ? {} : { annotations: more.annotations }) },
    spec: {
      clusterName: cluster,
      replicas,
      selector: { matchLabels: { pool: name } },
      template: {
        metadata: { labels: { pool: name } },
        spec: {
          clusterName: cluster,
          bootstrap: { dataSecretName: `${name}-boot` },
          infrastructureRef: { apiGroup: infrastructureGroup, kind: 'Metal3MachineTemplate', name },
        },
      },
    },
  });
}

/** For tests: the status of a host in a state. */
export function hostStatus(
  state: BareMetalHostStatus['provisioning']['state'],
  more: Partial<BareMetalHostStatus> = {},
): BareMetalHostStatus {
  return {
    operationalStatus: 'OK',
    errorMessage: '',
    errorCount: 0,
    provisioningFailCount: 0,
    poweredOn: false,
    provisioning: { state, ID: '' },
    ...more,
  };
}

/** For tests: makes a host that can be taken. */
export async function putHost(
  { hosts }: Pick<MachineApi, 'hosts'>,
  name: string,
  more: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly spec?: Partial<BareMetalHostSpec>;
    readonly status?: BareMetalHostStatus;
  } = {},
): Promise<BareMetalHost & KubeObject> {
  const { labels = {}, annotations = {} } = more;
  const made = await hosts.create({
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace: fleet, name, labels, annotations },
    spec: { online: false, ...more.spec },
  });
  return hosts.status.replace({ ...made, status: more.status ?? hostStatus('available') });
}

/** For tests: how long something is waited for. */
export interface Patience {
  readonly limitMs: number;
}

const usual: Patience = { limitMs: 120_000 };

/** For tests: waits until an object is as told, by watching it; says how it last was when that takes too long. */
export async function until<T extends KubeObject>(
  client: ResourceClient<T>,
  name: string,
  isSo: (object: T) => boolean,
  { limitMs } = usual,
): Promise<T> {
  let last: T | undefined;
  const limit = AbortSignal.timeout(limitMs);
  const namespace = client.ref.namespaced ? fleet : undefined;
  try {
    for await (const event of client.watch({ namespace, fieldSelector: `metadata.name=${name}`, signal: limit })) {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
      last = event.object;
      if (isSo(last)) return last;
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} ${name} did not become as it should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until all objects of a kind together are as told; looks again at every change. */
export async function untilAll<T extends KubeObject>(
  client: ResourceClient<T>,
  isSo: (objects: readonly T[]) => boolean,
  { limitMs } = usual,
): Promise<readonly T[]> {
  const limit = AbortSignal.timeout(limitMs);
  const namespace = client.ref.namespaced ? fleet : undefined;
  let last: readonly T[] = [];
  try {
    for (;;) {
      const { items, resourceVersion } = await client.list({ namespace, signal: limit });
      last = items;
      if (isSo(items)) return items;
      for await (const event of client.watch({ namespace, resourceVersion, signal: limit })) {
        if (event.type !== 'BOOKMARK') break;
      }
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} did not become as they should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until an object is gone. */
export async function untilGone<T extends KubeObject>(
  client: ResourceClient<T>,
  name: string,
  patience = usual,
): Promise<void> {
  await untilAll(client, (objects) => objects.every(({ metadata }) => metadata?.name !== name), patience);
}

/** For tests: deletes an object; one that is gone is fine. */
export async function drop<T extends KubeObject>(client: ResourceClient<T>, name: string): Promise<void> {
  try {
    await client.delete({ namespace: fleet, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
