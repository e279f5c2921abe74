import { fleetManifests, startAdminServer, startDataCentre } from '../../../simulator/index.ts';
import {
  type DiscoveredFirmwareStatus,
  operationAnnotation,
  retryOperation,
  type ServerFirmwareGroupStatus,
  type ServerFirmwareStatus,
} from '../../../src/api/index.ts';
import type { AnyKubeObject } from '../../../src/kube/index.ts';
import { until } from '../ironic/until.ts';
import type { ClusterObjects, ObjectName } from './cluster-objects.ts';
import type { JobPods } from './job-pods.ts';

/** A BMC, and a catalogue with firmware for its server. */
export interface FirmwareWorld {
  readonly catalogUrl: string;
  /** A BMC becomes a Server, which gets the firmware of a group by Jobs. */
  live(objects: ClusterObjects, jobs: { readonly namespace: string; readonly pods: JobPods }): Promise<void>;
  /** And goes again. */
  end(objects: ClusterObjects): Promise<void>;
  stop(): Promise<void>;
}

const ironcore = 'metal.ironcore.dev/v1alpha1';
const all: ObjectName = [ironcore, 'ServerFirmwareGroup', 'all'];
const bmc: ObjectName = [ironcore, 'BMC', 'r01-s01'];
/** In no catalogue. */
const nowhere = '99.0.0';

/** Starts both. */
export async function startFirmwareWorld(): Promise<FirmwareWorld> {
  const dataCentre = await startDataCentre({
    ...{ seed: 1, servers: 1, personalities: ['dell-idrac9'], arePoweredOn: true, speed: 1000 },
  });
  const admin = await startAdminServer(dataCentre);
  return {
    catalogUrl: `${admin.url}/v1/catalog`,
    async live(objects, jobs) {
      const manifests = [...fleetManifests({ namespace: 'none', ...dataCentre }).values()].flat();
      const own = manifests.filter(({ kind }) => kind === 'BMC' || kind === 'BMCSecret');
      for (const each of own) await objects.apply(JSON.stringify(each));
      const known = await knownServer(objects);
      await liveWithGroups(objects, known);
      await update(objects, { ...known, ...jobs, wanted: await discoverBios(objects) });
    },
    async end(objects) {
      await objects.remove([ironcore, 'ServerFirmwareGroup', 'all'], [ironcore, 'ServerFirmwareGroup', 'rack']);
      await objects.remove(bmc);
    },
    async stop() {
      await admin.close();
      await dataCentre.close();
    },
  };
}

interface KnownServer {
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
}

async function knownServer(objects: ClusterObjects): Promise<KnownServer> {
  const isKnown = ({ status }: AnyKubeObject) => (status as { model?: string } | undefined)?.model !== undefined;
  const server = await until({
    what: 'a Server of the BMC of which the model is known',
    timeoutMs: 240_000,
    look: async () => (await objects.list('Server', ironcore)).find(isKnown),
  });
  const { manufacturer, model } = server.status as { manufacturer: string; model: string };
  return { name: server.metadata?.name ?? '', manufacturer, model };
}

async function liveWithGroups(objects: ClusterObjects, { name, manufacturer, model }: KnownServer): Promise<void> {
  const at: ObjectName = [ironcore, 'Server', name];
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => it !== undefined);
  await objects.patch(at, { metadata: { labels: { tier: 'all' } } });
  const group = (of: { readonly name: string; readonly label: string }) => `
apiVersion: metal.ironcore.dev/v1alpha1
kind: ServerFirmwareGroup
metadata: { name: ${of.name} }
spec:
  manufacturer: "${manufacturer}"
  model: "${model}"
  serverSelector: { matchLabels: { ${of.label} } }
  firmwares: [{ name: bios, manufacturer: "${manufacturer}", version: ${nowhere} }]
`;
  await objects.apply(group({ name: 'all', label: 'tier: all' }));
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => JSON.stringify(it?.spec).includes(nowhere));
  await objects.apply(group({ name: 'rack', label: 'rack: r01' }));
  await contest(objects, at);
  await objects.patch(all, { metadata: { annotations: { [operationAnnotation]: retryOperation } } });
  await objects.untilSo(all, (it) => it?.metadata?.annotations?.[operationAnnotation] === undefined);
}

/**
 * The model has become known to discovery with the server; the newest BIOS for it is given. Of Lenovo's models all Servers are
 * asked for their machine types.
 */
async function discoverBios(objects: ClusterObjects): Promise<string> {
  await objects.apply(`
apiVersion: ${ironcore}
kind: DiscoveredFirmware
metadata: { name: lenovo }
spec: { manufacturer: Lenovo, model: ThinkSystem SR650 }
`);
  const statusOf = ({ status }: AnyKubeObject) => (status ?? {}) as DiscoveredFirmwareStatus;
  let seen: readonly AnyKubeObject[] = [];
  return until({
    what: 'two discoveries that ended, one of them with a BIOS',
    timeoutMs: 240_000,
    async look() {
      seen = await objects.list('DiscoveredFirmware', ironcore);
      const ended = seen.map(statusOf).filter(({ report }) => report !== undefined);
      return ended.length === 2 ? ended.flatMap(({ bios }) => bios?.versions ?? []).at(-1) : undefined;
    },
    detail: () => JSON.stringify(seen.map(statusOf)),
  });
}

/** An update that has not begun is taken back when others are wanted; then it is asked for again, and done. */
async function update(
  objects: ClusterObjects,
  { name, manufacturer, wanted, namespace, pods }: KnownServer & { wanted: string; namespace: string; pods: JobPods },
): Promise<void> {
  const firmware: ObjectName = [ironcore, 'ServerFirmware', name];
  const statusOf = (it: AnyKubeObject | undefined) => (it?.status ?? {}) as ServerFirmwareStatus;
  const want = (version: string) =>
    objects.patch(all, { spec: { firmwares: [{ name: 'bios', manufacturer, version }] } });
  const hasJob = async (): Promise<boolean> =>
    (await objects.list('Job', 'batch/v1', namespace)).some(
      ({ metadata }) => metadata?.labels?.['rackwright.dev/job-type'] === 'update',
    );
  const untilJob = (isThere: boolean) =>
    until({
      what: isThere ? 'a Job of an update' : 'the end of the Job of an update that nobody wants',
      timeoutMs: 240_000,
      look: async () => (await hasJob()) === isThere || undefined,
    });
  await objects.untilSo(firmware, (it) => statusOf(it).lastScanTime !== undefined);
  await pods.pause();
  await want(wanted);
  await untilJob(true);
  await objects.untilSo(firmware, (it) => statusOf(it).request?.kind === 'Update');
  await want(nowhere);
  await untilJob(false);
  pods.start();
  await want(wanted);
  await objects.untilSo(firmware, (it) => statusOf(it).bios?.version === wanted);
}

/** Two groups select the server, twice: what is told again is counted, not told anew. */
async function contest(objects: ClusterObjects, server: ObjectName): Promise<void> {
  const isContested = (it: AnyKubeObject | undefined) =>
    (it?.status as ServerFirmwareGroupStatus | undefined)?.conditions?.some(
      ({ type, status }) => type === 'SelectorConflict' && status === 'True',
    ) === true;
  for (const rack of ['r01', null, 'r01', null]) {
    await objects.patch(server, { metadata: { labels: { rack } } });
    await objects.untilSo(all, (it) => isContested(it) === (rack !== null));
  }
}
