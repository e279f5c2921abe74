import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createFakeApi, type FakeApi } from './fake-api.ts';
import type { FakeBmc } from './fake-bmc.ts';
import type { FakeNode } from './fake-node.ts';
import { Refusal } from './fake-store.ts';

/** What differs between two fakes. */
export interface FakeIronicOptions {
  readonly bmcs?: readonly FakeBmc[];
  /** The newest minor version that it speaks; 115 unless given. */
  readonly newestMinor?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Asks for these, as HTTP basic does. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A small Ironic that takes one step of its work with each look at a node. */
export interface FakeIronic {
  readonly url: string;
  readonly api: FakeApi;
  /** Every request that came, as `GET /v1/nodes`. */
  readonly requests: readonly { readonly line: string; readonly body: unknown }[];
  /** The one node that has the name. */
  node(name: string): FakeNode;
  stop(): Promise<void>;
  /** Is there again after `stop`, with all it knew, or as another version. */
  start(change?: { readonly newestMinor: number }): Promise<void>;
}

/** Starts a fake on a free port of loopback. */
export async function startFakeIronic(options: FakeIronicOptions = {}): Promise<FakeIronic> {
  const api = createFakeApi(options.bmcs ?? [], randomUUID);
  const requests: { line: string; body: unknown }[] = [];
  let newestMinor = options.newestMinor ?? 115;
  let port = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    requests.push({ line: `${request.method} ${request.url}`, body });
    response.setHeader('x-openstack-ironic-api-maximum-version', `1.${newestMinor}`);
    try {
      check(request, { newestMinor, credentials: options.credentials });
      const { status, value } = api.handle(request.method ?? '', request.url ?? '', body);
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(value === undefined ? '' : JSON.stringify(value));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const fault = JSON.stringify({ faultcode: 'Client', faultstring: error.message, debuginfo: null });
      response
        .writeHead(error.status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error_message: fault }));
    }
  };
  // Connections, and servers of other tests, have 127.0.0.1: here the port stays free while it is stopped.
  const host = options.tls === undefined ? '127.0.0.2' : '127.0.0.1';
  const listen = async () => {
    const handler = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
    // One that is dropped for being idle while the machine stood still fails whatever is sent on it next.
    const patience = { keepAliveTimeout: 600_000 };
    const server =
      options.tls === undefined
        ? createServer(patience, handler)
        : createTlsServer({ ...patience, ...options.tls }, handler);
    server.listen(port, host);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    return server;
  };
  let server = await listen();
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    api,
    requests,
    node(name) {
      const found = [...api.nodes.values()].find((each) => each.name === name);
      if (found === undefined) throw new Error(`the fake has no node ${name}`);
      return found;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async start(change) {
      newestMinor = change?.newestMinor ?? newestMinor;
      server = await listen();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}

function check(
  request: IncomingMessage,
  wish: { readonly newestMinor: number; readonly credentials: FakeIronicOptions['credentials'] },
): void {
  const isPublic = /^\/(v1\/?)?$/.test(request.url ?? '');
  const asked = Number(String(request.headers['x-openstack-ironic-api-version'] ?? '1.1').split('.')[1]);
  if (asked > wish.newestMinor) throw new Refusal(406, `Version 1.${asked} is not supported`);
  if (!isPublic && asked < 86) throw new Refusal(404, 'asked with an old version');
  if (isPublic || wish.credentials === undefined) return;
  const { username, password } = wish.credentials;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  if (request.headers.authorization !== expected) throw new Refusal(401, 'Authorization required');
}
