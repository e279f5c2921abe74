import assert from 'node:assert/strict';
import {
  type BareMetalHost,
  type BareMetalHostSpec,
  crdOf,
  type HostFirmwareComponents,
  type HostFirmwareSettings,
  metal3ApiVersion,
  metal3Kinds,
} from '../../api/index.ts';
import { startTestApi } from '../../apiserver/index.ts';
import {
  type AdmissionRule,
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  inProcessAdmission,
  installDefinitions,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  systemClock,
} from '../../kube/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import type { HostObjects, Secret } from '../objects.ts';
import { resources } from '../resources.ts';
import { type HostControllers, type HostControllersOptions, startHostControllers } from '../start.ts';
import { createScriptedProvisioners, type ScriptedProvisioners } from './scripted-provisioners.ts';

/** For tests: an API server with the kinds of this room, and a client of it. */
export interface HostApi {
  readonly client: KubeClient;
  readonly connection: ConnectionSpec;
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly hardwareData: ResourceClient<HostObjects['hardwareData'] & KubeObject>;
  readonly firmwareSettings: ResourceClient<HostFirmwareSettings & KubeObject>;
  readonly firmwareComponents: ResourceClient<HostFirmwareComponents & KubeObject>;
  readonly firmwareSchemas: ResourceClient<HostObjects['firmwareSchemas'] & KubeObject>;
  readonly updatePolicies: ResourceClient<HostObjects['updatePolicies'] & KubeObject>;
  readonly bootImages: ResourceClient<HostObjects['bootImages'] & KubeObject>;
  readonly dataImages: ResourceClient<HostObjects['dataImages'] & KubeObject>;
  readonly secrets: ResourceClient<Secret>;
  readonly events: ResourceClient<AnyKubeObject>;
  /** Another client, such as one that counts its requests. */
  connect(metrics?: Metrics): Promise<KubeClient>;
  close(): Promise<void>;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
const eventsRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

/** For tests: the namespace that hosts are made in. */
export const fleet = 'fleet';

/** For tests: starts an embedded API server in a folder of its own. */
export function startHostApi(rules: readonly AdmissionRule[] = []): Promise<HostApi> {
  return startTestApi(openHostApi, { admission: inProcessAdmission(rules).hooks });
}

/** For tests: installs the kinds of this room into an API server that runs. */
export async function openHostApi(connection: ConnectionSpec): Promise<HostApi> {
  const connect = (metrics?: Metrics): Promise<KubeClient> =>
    createClient(connection, metrics === undefined ? {} : { metrics });
  const client = await connect();
  const definitions = metal3Kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  await client
    .resource<AnyKubeObject>(namespaces)
    .apply({ metadata: { name: fleet } }, { fieldManager: 'test', isForced: true });
  return {
    client,
    connection,
    connect,
    hosts: client.resource(resources.hosts),
    hardwareData: client.resource(resources.hardwareData),
    firmwareSettings: client.resource(resources.firmwareSettings),
    firmwareComponents: client.resource(resources.firmwareComponents),
    firmwareSchemas: client.resource(resources.firmwareSchemas),
    updatePolicies: client.resource(resources.updatePolicies),
    bootImages: client.resource(resources.bootImages),
    dataImages: client.resource(resources.dataImages),
    secrets: client.resource(resources.secrets),
    events: client.resource(eventsRef),
    close: () => client.close(),
  };
}

/** For tests: running controllers with provisioners that are played. */
export interface HostRig {
  readonly controllers: HostControllers;
  readonly provisioners: ScriptedProvisioners;
  stop(): Promise<void>;
}

/** For tests: starts the controllers and waits for their caches. */
export async function startHostRig(
  api: HostApi,
  more: Partial<HostControllersOptions> & { readonly scripted?: ScriptedProvisioners } = {},
): Promise<HostRig> {
  const { scripted = createScriptedProvisioners(), ...options } = more;
  const client = more.client ?? (await api.connect());
  const controllers = startHostControllers({
    provisioners: scripted,
    clock: systemClock,
    random: Math.random,
    ...options,
    client,
  });
  await controllers.whenSynced();
  return {
    controllers,
    provisioners: scripted,
    async stop() {
      await controllers.stop();
      await client.close();
    },
  };
}

/** For tests: makes a Secret with BMC credentials. */
export function putSecret(
  { secrets }: HostApi,
  name: string,
  data: Record<string, string> = { username: 'admin', password: 'hunter2' },
) {
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleet, name }, data: encoded });
}

/** For tests: makes a host, and the Secret that it names. */
export async function putHost(
  api: HostApi,
  name: string,
  more: {
    readonly spec?: Partial<BareMetalHostSpec>;
    readonly annotations?: Record<string, string>;
    readonly hasNoSecret?: boolean;
  } = {},
): Promise<BareMetalHost & KubeObject> {
  if (more.hasNoSecret !== true) await putSecret(api, `${name}-bmc`);
  return api.hosts.create(hostObject(name, more));
}

/** For tests: a host as its owner writes it. */
export function hostObject(
  name: string,
  more: { readonly spec?: Partial<BareMetalHostSpec>; readonly annotations?: Record<string, string> } = {},
): BareMetalHost & KubeObject {
  const number = Number.parseInt(name.replace(/\D/g, '') || '0', 10);
  const address = `redfish://10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}/redfish/v1/Systems/1`;
  const metadata = {
    namespace: fleet,
    name,
    ...(more.annotations === undefined ? {} : { annotations: more.annotations }),
  };
  const spec = { online: true, bmc: { address, credentialsName: `${name}-bmc` }, ...more.spec };
  return { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata, spec };
}

/** For tests: waits until an object is as told, by watching it; says how it last was when that takes too long. */
export async function until<T extends KubeObject>(
  client: ResourceClient<T>,
  name: string,
  isSo: (object: T) => boolean,
): Promise<T> {
  let last: T | undefined;
  const limit = AbortSignal.timeout(120_000);
  try {
    for await (const event of client.watch({
      namespace: fleet,
      fieldSelector: `metadata.name=${name}`,
      signal: limit,
    })) {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
      last = event.object;
      if (isSo(last)) return last;
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} ${name} did not become as it should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: waits until a host is in a state. */
export function untilState(api: HostApi, name: string, state: string): Promise<BareMetalHost & KubeObject> {
  return until(api.hosts, name, ({ status }) => status?.provisioning.state === state);
}

/** For tests: waits until an object is gone. */
export async function untilGone<T extends KubeObject>(client: ResourceClient<T>, name: string): Promise<void> {
  const limit = AbortSignal.timeout(120_000);
  const { items, resourceVersion } = await client.list({ namespace: fleet, fieldSelector: `metadata.name=${name}` });
  if (items.length === 0) return;
  for await (const event of client.watch({
    namespace: fleet,
    resourceVersion,
    fieldSelector: `metadata.name=${name}`,
    signal: limit,
  })) {
    if (event.type === 'DELETED') return;
  }
}
