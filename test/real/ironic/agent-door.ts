import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import type { Ironic } from './ironic.ts';
import { until } from './until.ts';

const versionHeader = 'x-openstack-ironic-api-version';

/** Where simulated agents find an Ironic. */
export interface AgentDoor {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A way to Ironic for agents of hosts that boot in seconds. Ironic takes what an agent tells of its host for that of a stranger, or for
 * nobody's, until it has seen the power come on and waits for it: here it is told once that is so.
 */
export async function openAgentDoor(ironic: Pick<Ironic, 'url' | 'api'>): Promise<AgentDoor> {
  const server = createServer((asked, answer) => {
    pass(ironic, asked, answer).catch((error: Error) => answer.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pass(
  ironic: Pick<Ironic, 'url' | 'api'>,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = asked;
  const body = await buffer(asked);
  if (url.startsWith('/v1/continue_inspection')) await untilWaitedFor(ironic, answer);
  // A host that was switched off meanwhile has no agent.
  if (answer.destroyed) return;
  const version = headers[versionHeader];
  const heard = await request(`${ironic.url}${url}`, {
    method: method as 'GET' | 'POST',
    headers: { 'content-type': 'application/json', ...(version === undefined ? {} : { [versionHeader]: version }) },
    ...(body.length === 0 ? {} : { body }),
  });
  const text = await heard.body.text();
  answer.writeHead(heard.statusCode, { 'content-type': 'application/json' }).end(text);
}

async function untilWaitedFor({ api }: Pick<Ironic, 'api'>, answer: ServerResponse): Promise<void> {
  await until({
    what: 'no inspection that has yet to wait for its agent',
    timeoutMs: 120_000,
    everyMs: 250,
    look: async () => {
      const { nodes } = (await api('GET', '/v1/nodes?provision_state=inspecting&fields=uuid')) as { nodes: unknown[] };
      return nodes.length === 0 || answer.destroyed || undefined;
    },
  });
}
