import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { TestContext } from 'node:test';
import { Listeners } from '../../../listen/index.ts';
import type { Machine } from '../../../machine/machine.ts';
import type { Route } from '../../route.ts';
import { createFront } from '../front.ts';

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly json: any;
}

/** What to send. */
export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly ca?: string;
  readonly agent?: Agent;
}

/** Asks with a bare client that hides nothing; rejects when the connection breaks. */
export async function ask(url: string, order: WireRequest = {}): Promise<WireAnswer> {
  const send = url.startsWith('https:') ? requestTls : request;
  const outgoing = send(url, {
    method: order.method ?? 'GET',
    headers: order.headers ?? {},
    agent: order.agent ?? false,
    ...(order.ca === undefined ? {} : { ca: order.ca }),
  });
  // Later errors reach the reader of the answer.
  outgoing.on('error', () => undefined);
  outgoing.end(order.body);
  const [response] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** The Authorization header of a name and a password. */
export function basic(login: { username: string; password: string }): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}` };
}

/** Serves machines over plain HTTP with the given shared routes until the test ends; returns their addresses. */
export async function serve(
  context: TestContext,
  machines: readonly Machine[],
  options: { routes: readonly Route[]; doesLogReads?: boolean; doesLogCallers?: boolean },
): Promise<{ urls: string[]; bugs: unknown[]; listeners: Listeners }> {
  const bugs: unknown[] = [];
  const listeners = new Listeners({
    certificates: undefined,
    answer: (machine, incoming, response) => front.answer(machine, incoming, response),
  });
  const front = createFront({
    routes: options.routes,
    doesLogReads: options.doesLogReads ?? false,
    doesLogCallers: options.doesLogCallers ?? false,
    reset: (connection) => listeners.reset(connection),
    onBug: (error) => void bugs.push(error),
  });
  const endpoints = await listeners.open(
    machines,
    machines.map(() => ({ address: '127.0.0.1', port: 0 })),
  );
  context.after(() => listeners.close());
  return { urls: endpoints.map(({ address, port }) => `http://${address}:${port}`), bugs, listeners };
}
