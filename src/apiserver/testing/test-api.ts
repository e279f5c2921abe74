import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerOptions, startApiServer } from '../start.ts';

/** For tests: how the administrator of an API server reaches it. */
export interface TestConnection {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** For tests: starts an API server in a folder of its own. What is opened on it ends it when it is closed. */
export async function startTestApi<A extends { close(): Promise<void> }>(
  open: (connection: TestConnection) => Promise<A>,
  options: Pick<ApiServerOptions, 'admission' | 'converterFor'> = {},
): Promise<A> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rackwright-api-'));
  const server = await startApiServer({ ...options, dataDir, port: 0 });
  const end = async (): Promise<void> => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const opened = await open({ server: server.url, caPem: server.caPem, token: server.adminToken });
    return {
      ...opened,
      async close() {
        await opened.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
