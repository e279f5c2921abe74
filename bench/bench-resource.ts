import { type Endpoint, HttpConnection } from './http-connection.ts';

const group = 'bench.rackwright.dev';

/** The path of the measured custom resources in a namespace. */
export function itemsPath(namespace: string, name?: string): string {
  return `/apis/${group}/v1/namespaces/${namespace}/items${name === undefined ? '' : `/${name}`}`;
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `items.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'items', singular: 'item', kind: 'Item', listKind: 'ItemList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  address: { type: 'string', maxLength: 200 },
                  online: { type: 'boolean', default: true },
                  replicas: { type: 'integer', minimum: 0 },
                  notes: { type: 'array', items: { type: 'string' } },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  phase: { type: 'string' },
                  counter: { type: 'integer' },
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type'],
                      properties: { type: { type: 'string' }, status: { type: 'string' }, message: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** The text of a custom resource of about two kilobytes. */
export function itemText(name: string): string {
  const notes = Array.from({ length: 16 }, (_, i) => `note ${i}: ${'lorem ipsum dolor sit amet '.repeat(3)}`);
  const labels = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key-${i}`, `value-${i}`]));
  const spec = { address: 'redfish+https://10.0.0.1/redfish/v1/Systems/1', replicas: 3, notes, labels };
  return JSON.stringify({
    apiVersion: `${group}/v1`,
    kind: 'Item',
    metadata: { name, labels: { app: 'bench' } },
    spec,
  });
}

/** A merge patch of the status that changes with every call. */
export function statusPatchText(counter: number): string {
  const conditions = [{ type: 'Ready', status: counter % 2 === 0 ? 'True' : 'False', message: `seen ${counter}` }];
  return JSON.stringify({ status: { phase: 'Running', counter, conditions } });
}

/** Creates the definition and the namespaces, and waits until the resource is served. */
export async function prepare(connection: HttpConnection, namespaces: readonly string[]): Promise<void> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expectStatus(await connection.request('POST', crds, JSON.stringify(definition)), 201);
  for (const name of namespaces) {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    expectStatus(await connection.request('POST', '/api/v1/namespaces', text), 201);
  }
  const deadline = Date.now() + 30_000;
  while ((await connection.request('GET', itemsPath(namespaces[0] ?? ''))).status !== 200) {
    if (Date.now() > deadline) throw new Error('the custom resource was not served within 30 s');
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** A measurement counts only if every answer was the expected one. */
export function expectStatus(reply: { status: number; body: Buffer }, status: number): void {
  if (reply.status === status) return;
  throw new Error(`expected ${status}, got ${reply.status}: ${reply.body.toString('utf8', 0, 400)}`);
}

/** Creates objects named `item-<number>`, the last number excluded, as fast as so many clients do it. */
export async function fillNamespace(
  namespace: string,
  load: { readonly endpoint: Endpoint; readonly clients: number; readonly from: number; readonly to: number },
): Promise<void> {
  let next = load.from;
  await inParallel(load.endpoint, load.clients, async (connection) => {
    while (next < load.to) {
      expectStatus(await connection.request('POST', itemsPath(namespace), itemText(`item-${next++}`)), 201);
    }
  });
}

/** Does the work on so many connections at once, each with its own number. */
export async function inParallel(
  endpoint: Endpoint,
  clients: number,
  work: (connection: HttpConnection, client: number) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: clients }, () => HttpConnection.open(endpoint)));
  await Promise.all(connections.map((connection, client) => work(connection, client)));
  for (const connection of connections) connection.close();
}
