import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../redfish/route.ts';
import { type AgentCommands, CommandRefused } from './agent-commands.ts';

/** An agent that can be commanded. */
export interface ListeningAgent {
  readonly commands: AgentCommands;
  readonly token: string | undefined;
}

/** Where all agents of a data centre listen, each under a path of its own. */
export interface AgentServer {
  urlOf(name: string): string;
  close(): Promise<void>;
}

const bodyLimitBytes = 4 * 1024 * 1024;

/** Starts the server; `find` gives the agent that runs on a machine now, if one does. */
export async function startAgentServer(options: {
  readonly host: string;
  readonly find: (name: string) => ListeningAgent | undefined;
}): Promise<AgentServer> {
  const server = createServer((request, response) => {
    answer(request, response, options.find).catch((error: unknown) => {
      send(response, 500, { faultstring: error instanceof Error ? error.message : String(error) });
    });
  });
  server.listen(0, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    urlOf: (name) => `http://${host}:${port}/${name}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => ListeningAgent | undefined,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://agent');
  const [, name = '', rest = ''] = /^\/([^/]+)\/v1\/(.*?)\/?$/.exec(url.pathname) ?? [];
  const agent = find(name);
  if (agent === undefined) return send(response, 404, { faultstring: `no agent runs on ${name || 'that path'}` });
  if (agent.token !== undefined && url.searchParams.get('agent_token') !== agent.token) {
    return send(response, 401, { faultstring: 'agent_token is missing or wrong' });
  }
  if (rest === 'status') return send(response, 200, { version: '11.0.0', started_at: 0 });
  const id = /^commands\/([\w-]+)$/.exec(rest)?.[1];
  if (request.method === 'GET' && id !== undefined) return sendCommand(response, agent, id);
  if (rest !== 'commands') return send(response, 404, { faultstring: `no ${rest}` });
  if (request.method === 'GET')
    return send(response, 200, { commands: agent.commands.all.map((each) => ({ ...each })) });
  if (request.method !== 'POST') return send(response, 405, { faultstring: 'GET or POST' });
  const body = await readBody(request);
  if (body === undefined) return send(response, 400, { faultstring: 'the body is not a JSON object' });
  return startCommand(response, agent, { body, doesWait: url.searchParams.get('wait') === 'true' });
}

function sendCommand(response: ServerResponse, agent: ListeningAgent, id: string): void {
  const command = agent.commands.all.find((each) => each.id === id);
  if (command === undefined) send(response, 404, { faultstring: `no command ${id}` });
  else send(response, 200, { ...command });
}

async function startCommand(
  response: ServerResponse,
  agent: ListeningAgent,
  order: { readonly body: JsonObject; readonly doesWait: boolean },
): Promise<void> {
  try {
    const { command, done } = agent.commands.start(
      String(order.body.name),
      (order.body.params as JsonObject | undefined) ?? {},
    );
    if (order.doesWait) await done;
    send(response, 200, { ...command });
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    send(response, 409, { faultstring: error.message });
  }
}

async function readBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyLimitBytes) return undefined;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
