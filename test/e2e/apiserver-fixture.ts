import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.ts';
import type { JsonObject } from '../../src/schema/index.ts';
import { ApiClient } from './apiserver-client.ts';

/** A running server of a test, in its own directory. */
export interface ServerUnderTest {
  readonly server: ApiServer;
  readonly client: ApiClient;
  readonly dataDir: string;
  /** What the server called unexpected. */
  readonly faults: unknown[];
  stop(): Promise<void>;
}

/** Starts the API server in this process, with widgets to write. */
export async function startServerUnderTest(): Promise<ServerUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-'));
  const faults: unknown[] = [];
  const server = await startApiServer({ dataDir, port: 0, onFault: (error) => faults.push(error) });
  const client = new ApiClient({ url: server.url, caPem: server.caPem, token: server.adminToken });
  await createWidgetCrd(client);
  return {
    server,
    client,
    dataDir,
    faults,
    async stop() {
      client.close();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The path of the widgets of the default namespace, or of one of them. */
export function widgetPath(name?: string): string {
  return `/apis/example.com/v1/namespaces/default/widgets${name === undefined ? '' : `/${name}`}`;
}

/** A path in the core group and the default namespace. */
export function corePath(resource: string, name?: string): string {
  return `/api/v1/namespaces/default/${resource}${name === undefined ? '' : `/${name}`}`;
}

/** A widget to create. */
export function widget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** Creates the widget definition, unless it is there, and waits until widgets are served. */
export async function createWidgetCrd(client: ApiClient): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const created = await client.request('POST', path, { body: widgetCrd });
  if (created.code !== 201 && created.code !== 409) throw new Error(`${created.code} ${created.text}`);
  for (;;) {
    const list = await client.request('GET', widgetPath());
    const definition = await client.request('GET', `${path}/widgets.example.com`);
    if (list.code === 200 && definition.text.includes('"Established"')) return;
  }
}

/** Widgets with a closed part, a free part, a status and a scale. */
export const widgetCrd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: '.spec.color' }],
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 0 },
                  color: { type: 'string', enum: ['red', 'green', 'blue'] },
                  count: { type: 'integer' },
                  ratio: { type: 'number' },
                  body: { type: 'string' },
                  hash: { type: 'string' },
                  replicas: { type: 'integer' },
                  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  words: { type: 'object', additionalProperties: { type: 'string' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, count: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
};
