import assert from 'node:assert/strict';
import {
  type BMC,
  type BMCSecret,
  crdOf,
  type DiscoveredFirmware,
  type Firmware,
  ironcoreApiVersion,
  ironcoreKinds,
  type Server,
  type ServerFirmware,
  type ServerFirmwareGroup,
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
import { resources } from '../resources.ts';
import { type FirmwareControllers, type FirmwareControllersOptions, startFirmwareControllers } from '../start.ts';
import { createFakeUpdateService, type FakeUpdateService } from './fake-update-service.ts';

/** For tests: an embedded API server with the kinds of this room, and a client of it. */
export interface ApiRig {
  readonly client: KubeClient;
  readonly connection: ConnectionSpec;
  readonly bmcs: ResourceClient<BMC & KubeObject>;
  readonly bmcSecrets: ResourceClient<BMCSecret & KubeObject>;
  readonly servers: ResourceClient<Server & KubeObject>;
  readonly firmwares: ResourceClient<ServerFirmware & KubeObject>;
  readonly groups: ResourceClient<ServerFirmwareGroup & KubeObject>;
  readonly discovered: ResourceClient<DiscoveredFirmware & KubeObject>;
  /** Another client, such as one that counts its requests. */
  connect(metrics?: Metrics): Promise<KubeClient>;
  close(): Promise<void>;
}

/** For tests: starts an API server in a folder of its own. */
export function startApi(rules: readonly AdmissionRule[] = []): Promise<ApiRig> {
  return startTestApi(openApi, { admission: inProcessAdmission(rules).hooks });
}

/** For tests: installs the kinds of this room into an API server that runs. */
export async function openApi(connection: ConnectionSpec): Promise<ApiRig> {
  const connect = (metrics?: Metrics): Promise<KubeClient> =>
    createClient(connection, metrics === undefined ? {} : { metrics });
  const client = await connect();
  const definitions = ironcoreKinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  return {
    client,
    connection,
    connect,
    bmcs: client.resource(resources.bmcs),
    bmcSecrets: client.resource(resources.bmcSecrets),
    servers: client.resource(resources.servers),
    firmwares: client.resource(resources.firmwares),
    groups: client.resource(resources.groups),
    discovered: client.resource(resources.discovered),
    close: () => client.close(),
  };
}

/** For tests: running controllers on an API server, with an update service that is played. */
export interface ControllerRig {
  readonly controllers: FirmwareControllers;
  readonly service: FakeUpdateService;
  stop(): Promise<void>;
}

/** For tests: starts the controllers and waits for their caches. */
export async function startControllers(
  api: ApiRig,
  more: Partial<FirmwareControllersOptions> & { readonly service?: FakeUpdateService } = {},
): Promise<ControllerRig> {
  const service = more.service ?? createFakeUpdateService();
  const client = more.client ?? (await api.connect());
  const controllers = startFirmwareControllers({
    updateService: service,
    clock: systemClock,
    random: Math.random,
    settings: { gatherMs: 5 },
    isOnboarding: false,
    ...more,
    client,
  });
  service.connect(controllers.reports, () => (more.clock ?? systemClock).now());
  await controllers.whenSynced();
  return {
    controllers,
    service,
    async stop() {
      await controllers.stop();
      await client.close();
    },
  };
}

/** For tests: makes a Server with its status. */
export async function putServer(
  { servers }: Pick<ApiRig, 'servers'>,
  name: string,
  more: { readonly labels?: Record<string, string>; readonly status?: Server['status']; readonly uuid?: string } = {},
): Promise<Server> {
  const spec = { systemUUID: more.uuid ?? uuidOf(name) };
  const metadata = { name, ...(more.labels === undefined ? {} : { labels: more.labels }) };
  await servers.create({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata, spec });
  const status = { manufacturer: 'Lenovo', model: '7x21', ...more.status };
  return servers.status.patch({ name }, { type: 'merge', body: { status } });
}

/** For tests: makes a ServerFirmware by hand. */
export function putFirmware(
  { firmwares }: Pick<ApiRig, 'firmwares'>,
  name: string,
  more: {
    readonly labels?: Record<string, string>;
    readonly spec?: Partial<ServerFirmware['spec']>;
    readonly server?: string;
  } = {},
): Promise<ServerFirmware> {
  const metadata = { name, ...(more.labels === undefined ? {} : { labels: more.labels }) };
  const spec = { serverRef: { name: more.server ?? name }, ...more.spec };
  return firmwares.create({ apiVersion: ironcoreApiVersion, kind: 'ServerFirmware', metadata, spec });
}

/** For tests: makes a group. */
export function putGroup(
  { groups }: Pick<ApiRig, 'groups'>,
  name: string,
  spec: Partial<ServerFirmwareGroup['spec']>,
): Promise<ServerFirmwareGroup> {
  return groups.create({
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name },
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector: { matchLabels: { group: name } }, ...spec },
  });
}

/** For tests: an entry of a list of firmwares. */
export function fw(name: string, version: string, manufacturer = 'ACME'): Firmware {
  return { name, manufacturer, version };
}

/** For tests: a UUID that belongs to a name. */
export function uuidOf(name: string): string {
  const hex = Buffer.from(name).toString('hex').padStart(32, '1').slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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
    for await (const event of client.watch({ fieldSelector: `metadata.name=${name}`, signal: limit })) {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
      last = event.object;
      if (isSo(last)) return last;
    }
  } catch (error) {
    if (!limit.aborted) throw error;
  }
  return assert.fail(`${client.ref.resource} ${name} did not become as it should: ${JSON.stringify(last, null, 1)}`);
}

/** For tests: the status of a condition. */
export function conditionIn(
  object: {
    readonly status?: {
      readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
    };
  },
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  return object.status?.conditions?.find((each) => each.type === type);
}
