import {
  crdOf,
  ironcoreApiVersion,
  ironcoreKinds,
  type Server,
  type ServerFirmwareGroup,
} from '../../src/api/index.ts';
import { resources } from '../../src/firmware/index.ts';
import { type AnyKubeObject, installDefinitions, type KubeClient, type KubeObject } from '../../src/kube/index.ts';

/** How many groups the servers of every size are in, in equal parts. */
export const groupCount = 20;

/** What every server has, of which a change of a group concerns the first. */
const parts = [
  { name: 'bmc', manufacturer: 'ACME' },
  { name: 'nic', manufacturer: 'Intel' },
  { name: 'ssd', manufacturer: 'Samsung' },
] as const;

/** Versions as a BMC tells them before anything was installed. */
export const firstInstalled = parts.map((part) => ({ ...part, version: '1.0.0' }));

/** What the groups want in a round. */
export function wantedIn(round: number) {
  return parts.map((part) => ({ ...part, version: `2.${round}.0` }));
}

/** Installs the kinds and waits until they are served. */
export async function installKinds(client: KubeClient): Promise<void> {
  const definitions = ironcoreKinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  await installDefinitions(client, definitions, { fieldManager: 'bench' });
}

const manufacturers = ['Dell Inc.', 'HPE', 'Lenovo', 'Supermicro'] as const;

function hardwareOf(group: number): { readonly manufacturer: string; readonly model: string } {
  const manufacturer = manufacturers[group % manufacturers.length] ?? '';
  return { manufacturer, model: `Model ${Math.floor(group / manufacturers.length)}` };
}

function groupName(group: number): string {
  return `group-${group}`;
}

/** Makes Servers up to a number, from another on, as reading their BMCs would; the rest of the fleet follows from them. */
export async function putServers(
  client: KubeClient,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const resource = client.resource<Server & KubeObject>(resources.servers);
  const put = async (index: number): Promise<void> => {
    const name = `server-${index}`;
    const hex = index.toString(16).padStart(12, '0');
    await resource.create({
      apiVersion: ironcoreApiVersion,
      kind: 'Server',
      metadata: { name, labels: { fleet: groupName(index % groupCount), rack: `rack-${Math.floor(index / 40)}` } },
      spec: { systemUUID: `0f1e7000-0000-4000-8000-${hex}` },
    });
    const status = { ...hardwareOf(index % groupCount), serialNumber: `SN${hex}`, powerState: 'On' };
    await resource.status.patch({ name }, { type: 'merge', body: { status } });
  };
  const indices = Array.from({ length: to - from }, (_, index) => from + index).values();
  const work = async (): Promise<void> => {
    for (const index of indices) await put(index);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

/** Makes the groups. */
export async function putGroups(client: KubeClient): Promise<void> {
  const resource = client.resource<ServerFirmwareGroup & KubeObject>(resources.groups);
  for (let group = 0; group < groupCount; group += 1) {
    const name = groupName(group);
    await resource.create({
      apiVersion: ironcoreApiVersion,
      kind: 'ServerFirmwareGroup',
      metadata: { name },
      spec: {
        ...hardwareOf(group),
        serverSelector: { matchLabels: { fleet: name } },
        firmwares: wantedIn(0),
      },
    });
  }
}

/** Changes every group at once: the moment that the time runs from. */
export async function changeGroups(client: KubeClient, round: number): Promise<void> {
  const resource = client.resource<ServerFirmwareGroup & KubeObject>(resources.groups);
  const body = { spec: { firmwares: wantedIn(round) } };
  const groups = Array.from({ length: groupCount }, (_, group) => groupName(group));
  await Promise.all(groups.map((name) => resource.patch({ name }, { type: 'merge', body })));
}

/** Resolves when every group says of its present spec that all its servers have it. */
export async function whenCounted(client: KubeClient, servers: number, signal: AbortSignal): Promise<void> {
  const resource = client.resource<ServerFirmwareGroup & KubeObject>(resources.groups);
  const counted = new Map<string, number>();
  for await (const event of resource.watch({ signal })) {
    if (event.type === 'BOOKMARK') continue;
    const { metadata, status = {} } = event.object;
    const isAll = status.updatesApplied === status.serversInGroup && status.updatesNotApplied === 0;
    const isCurrent = status.observedGeneration === metadata.generation;
    counted.set(metadata.name ?? '', isAll && isCurrent ? (status.serversInGroup ?? 0) : 0);
    if ([...counted.values()].reduce((sum, count) => sum + count, 0) === servers) return;
  }
}
