import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { widgetDefinition, widgetsAt } from '../../src/apiserver/http/temporary-widgets.ts';
import { type ApiServer, type GivenLimits, startApiServer } from '../../src/apiserver/index.ts';
import { ApiClient } from './apiserver-client.ts';

export { widgetOf as widget, widgetsAt as widgetPath } from '../../src/apiserver/http/temporary-widgets.ts';

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
export async function startServerUnderTest(limits: GivenLimits = {}): Promise<ServerUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-'));
  const faults: unknown[] = [];
  const server = await startApiServer({ dataDir, port: 0, limits, onFault: (error) => faults.push(error) });
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

/** A path in the core group and the default namespace. */
export function corePath(resource: string, name?: string): string {
  return `/api/v1/namespaces/default/${resource}${name === undefined ? '' : `/${name}`}`;
}

/** Creates the widget definition, unless it is there, and waits until widgets are served. */
export async function createWidgetCrd(client: ApiClient): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const created = await client.request('POST', path, { body: widgetDefinition() });
  if (created.code !== 201 && created.code !== 409) throw new Error(`${created.code} ${created.text}`);
  for (;;) {
    const list = await client.request('GET', widgetsAt());
    const definition = await client.request('GET', `${path}/widgets.example.com`);
    if (list.code === 200 && definition.text.includes('"Established"')) return;
  }
}
