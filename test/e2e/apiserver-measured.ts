/** A server in a process of its own that says, when asked, what it holds on to. Needs --expose-gc and a channel. */
import { startApiServer } from '../../src/apiserver/index.ts';
import type { ClientTarget } from './apiserver-client.ts';

/** What the process answers with. */
export type Measured =
  | { readonly what: 'target'; readonly target: ClientTarget }
  | {
      readonly what: 'usage';
      readonly heapBytes: number;
      /** The heap, and what buffers outside of it take. */
      readonly heldBytes: number;
      readonly resources: Readonly<Record<string, number>>;
    };

async function main(dataDir: string): Promise<void> {
  const server = await startApiServer({ dataDir, port: 0 });
  process.on('message', () => say(usage()));
  say({ what: 'target', target: { url: server.url, caPem: server.caPem, token: server.adminToken } });
}

function usage(): Measured {
  for (let n = 0; n < 4; n++) globalThis.gc?.();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, external } = process.memoryUsage();
  return { what: 'usage', heapBytes: heapUsed, heldBytes: heapUsed + external, resources };
}

function say(message: Measured): void {
  process.send?.(message);
}

if (process.argv[1] === import.meta.filename) await main(process.argv[2] ?? '');
