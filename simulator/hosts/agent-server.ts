import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificateAuthority, issueServerCertificate, systemClock } from '../../src/kube/index.ts';
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
  /** What their certificate is checked with: each agent makes up its own and tells it with its heartbeats. */
  readonly caPem: string;
  close(): Promise<void>;
}

const bodyLimitBytes = 4 * 1024 * 1024;

/** Starts the server; `find` gives the agent that runs on a machine now, if one does. */
export async function startAgentServer(options: {
  readonly host: string;
  readonly find: (name: string) => ListeningAgent | undefined;
}): Promise<AgentServer> {
  const { caPem, cert, key } = await makeCertificate(options.host);
  const server = createServer({ cert, key }, (request, response) => {
    answer(request, response, options.find).catch((error: unknown) => {
      refuse(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  server.listen(0, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    urlOf: (name) => `https://${host}:${port}/${name}`,
    caPem,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Valid by the real clock, which is the one that clients check it by. */
async function makeCertificate(host: string): Promise<{ caPem: string; cert: string; key: string }> {
  const now = new Date(systemClock.now());
  const authority = await createCertificateAuthority({ commonName: 'Simulated agents', now });
  const issued = await issueServerCertificate(authority, { now, ips: [host], dns: [], commonName: 'agent' });
  return { caPem: authority.certificatePem, cert: issued.certificatePem, key: issued.privateKeyPem };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => ListeningAgent | undefined,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://agent');
  const [, name = '', rest = ''] = /^\/([^/]+)\/v1\/(.*?)\/?$/.exec(url.pathname) ?? [];
  const agent = find(name);
  if (agent === undefined) return refuse(response, 404, `no agent runs on ${name || 'that path'}`);
  if (rest === 'status') return send(response, 200, { version: '11.0.0', started_at: 0 });
  const token = url.searchParams.get('agent_token') ?? undefined;
  if (token !== agent.token) return refuse(response, 401, 'Token invalid.');
  const id = /^commands\/([\w-]+)$/.exec(rest)?.[1];
  if (request.method === 'GET' && id !== undefined) return sendCommand(response, agent, id);
  if (rest !== 'commands') return refuse(response, 404, `no ${rest}`);
  if (request.method === 'GET')
    return send(response, 200, { commands: agent.commands.all.map((each) => ({ ...each })) });
  if (request.method !== 'POST') return refuse(response, 405, 'GET or POST');
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 400, 'the body is not a JSON object');
  return startCommand(response, agent, { body, doesWait: url.searchParams.get('wait') === 'true' });
}

function sendCommand(response: ServerResponse, agent: ListeningAgent, id: string): void {
  const command = agent.commands.all.find((each) => each.id === id);
  if (command === undefined) refuse(response, 404, `no command ${id}`);
  else send(response, 200, { ...command });
}

async function startCommand(
  response: ServerResponse,
  agent: ListeningAgent,
  order: { readonly body: JsonObject; readonly doesWait: boolean },
): Promise<void> {
  const { name, params } = order.body;
  const hasParams = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (typeof name !== 'string' || !hasParams) return refuse(response, 400, 'Missing or invalid name or params');
  try {
    const { command, done } = agent.commands.start(name, params);
    if (order.doesWait) await done;
    send(response, 200, { ...command });
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    refuse(response, error.status, error.message);
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

/** A refusal in the words that Ironic looks for. */
function refuse(response: ServerResponse, status: number, faultstring: string): void {
  send(response, status, { faultcode: status < 500 ? 'Client' : 'Server', faultstring });
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
