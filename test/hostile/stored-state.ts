import { request } from 'node:https';
import type { AnyKubeObject, KubeClient } from '../../src/kube/index.ts';
import type { Operation } from './hostile-requests.ts';
import type { Port, Target } from './target.ts';

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Written by the server itself all the time. */
const busy = new Set(['events', 'leases']);
/** What the REST services keep, and people and programs make. */
const restLists = [
  '/api/v1/servers',
  '/api/v1/server-component-firmwares',
  '/api/v1/server-component-firmware-sets',
  '/api/v1/server-bios-config-sets',
];

/** Everything that is stored, one line for each object: what it is, which one, and how often its content has changed. */
export async function storedState({ client, ports, adminToken }: Target): Promise<readonly string[]> {
  const objects = (await allResources(client)).map((path) => linesOf(client, path));
  const rest = ports.find(({ name }) => name === 'rest');
  const records = rest === undefined ? [] : restLists.map((path) => recordsOf(rest, path, adminToken));
  return (await Promise.all([...objects, ...records])).flat().toSorted();
}

/** The paths and methods of the REST services, as they describe themselves. */
export async function restOperations({ ports, adminToken }: Target): Promise<readonly Operation[]> {
  const rest = ports.find(({ name }) => name === 'rest');
  if (rest === undefined) throw new Error('there are no REST services');
  const { paths } = (await getJson(rest, '/openapi.json', adminToken)) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
}

async function allResources(client: KubeClient): Promise<readonly string[]> {
  const { groups } = await client.request<{ groups: { versions: { groupVersion: string }[] }[] }>({
    method: 'GET',
    path: '/apis',
  });
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map((each) => `/apis/${each.groupVersion}`))];
  const lists = roots.map(async (root) => {
    const { resources } = await client.request<ResourceList>({ method: 'GET', path: root });
    const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && !busy.has(name));
    return listed.map(({ name }) => `${root}/${name}`);
  });
  return (await Promise.all(lists)).flat();
}

async function linesOf(client: KubeClient, path: string): Promise<readonly string[]> {
  const { items } = await client.request<{ items: AnyKubeObject[] }>({ method: 'GET', path });
  return items.map((object) => {
    const { namespace = '', name, uid, generation = 0 } = object.metadata ?? {};
    const isHostile = JSON.stringify(object).includes('"manager":"hostile"');
    return `${path} ${namespace}/${name} ${uid} ${generation}${isHostile ? ' written by a hostile request' : ''}`;
  });
}

async function recordsOf(rest: Port, path: string, token: string): Promise<readonly string[]> {
  const { records } = (await getJson(rest, `${path}?limit=1000`, token)) as { records: Record<string, unknown>[] };
  return records.map((record) => `${path} ${record.uuid ?? record.id} ${record.name ?? ''}`);
}

function getJson({ port }: Port, path: string, token: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`GET ${path} was answered ${response.statusCode} ${text}`));
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
