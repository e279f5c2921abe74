import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/bmc/index.ts';
import { type Answer, type Change, changed } from './mutate-answer.ts';
import type { RecordedBmc } from './recorded-bmc.ts';

/** What the server does to its answers. */
export interface Spoiling {
  readonly recorded: RecordedBmc;
  readonly every: number;
  readonly first: number;
  readonly changes: readonly Change[];
  /** Told of every answer that is not what it should be. */
  onSpoilt(text: string): void;
}

/** A BMC on a real socket that answers as it was recorded, but for what is spoilt. */
export interface SpoiltServer {
  readonly origin: string;
  readonly requests: number;
  spoil(how: Spoiling): void;
  close(): Promise<void>;
}

const sessionsPath = '/redfish/v1/SessionService/Sessions';

/** Starts a server on a port that the system chooses; it serves one recording at a time. */
export async function startSpoiltServer(): Promise<SpoiltServer> {
  let how: Spoiling | undefined;
  let requests = 0;
  let index = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    await once(request, 'end').catch(() => undefined);
    requests += 1;
    if (how === undefined || response.destroyed) return void response.destroy();
    const plain = plainAnswer(request, how.recorded);
    const turn = index++;
    const change =
      turn < 0 || turn % how.every !== 0 ? undefined : how.changes[(turn / how.every) % how.changes.length];
    if (change === undefined) return send(response, plain, undefined);
    const spoilt = changed(plain, change, Object.values(how.recorded.running));
    if (JSON.stringify(spoilt) !== JSON.stringify(plain))
      how.onSpoilt(`${request.method} ${request.url} ${JSON.stringify([spoilt, change.kind, change.pick])}`);
    send(response, spoilt, change);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    spoil(next) {
      how = next;
      requests = 0;
      index = -next.first;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function plainAnswer({ method = 'GET', url = '/' }: IncomingMessage, { running, changes }: RecordedBmc): Answer {
  const path = url.split('?')[0]?.replace(/(?<=.)\/+$/, '') ?? '';
  const json = (status: number, body: JsonObject | undefined, headers: Record<string, string> = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json', etag: '"1"', ...headers },
    body,
    cut: 0,
  });
  if (method === 'POST' && path === sessionsPath) {
    return json(201, { '@odata.id': `${sessionsPath}/1` }, { 'x-auth-token': 'token', location: `${sessionsPath}/1` });
  }
  if (method === 'GET') return Object.hasOwn(running, path) ? json(200, running[path]) : json(404, {});
  const known = changes.get(`${method} ${path}`);
  if (known === undefined) return json(method === 'DELETE' ? 204 : 405, undefined);
  const { location } = known.headers;
  return json(known.status, known.body, location === undefined ? {} : { location });
}

/** Sends it; where bytes are cut, the length may say so, may not, or may not be said. */
function send(response: ServerResponse, answer: Answer, change: Change | undefined): void {
  const whole = Buffer.from(answer.body === undefined ? '' : JSON.stringify(answer.body));
  const bytes = answer.cut === 0 ? whole : whole.subarray(0, Math.max(0, whole.length - answer.cut));
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  const pick = change?.pick ?? 0;
  if (change?.kind === 'lie-about-type' && pick % 3 === 0) response.setHeader('content-encoding', 'gzip');
  if (answer.cut === 0 || pick % 3 === 0) {
    response.end(bytes);
    return;
  }
  if (pick % 3 === 1) response.setHeader('content-length', whole.length);
  response.write(bytes, () => response.destroy());
}
