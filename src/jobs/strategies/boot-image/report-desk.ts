import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { JobError } from '../../errors.ts';

const ReportSchema = Type.Object({
  state: Type.Enum(['running', 'succeeded', 'failed']),
  percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  message: Type.Optional(Type.String({ maxLength: 4096 })),
});

/** What an update image says of itself. */
export type ImageReport = Static<typeof ReportSchema>;

const check = Compile(ReportSchema);

/** By what one boot of an update image is known. */
export interface BootTicket {
  /** Names it in addresses. */
  readonly key: string;
  /** Good for reports of this boot alone, until the last one. */
  readonly token: string;
}

/** A boot that is waited for. */
export interface ExpectedBoot {
  /** Where BMCs get the medium that tells the image what to do. */
  readonly mediumUrl: string;
  /** What was reported last, and how many reports there were. */
  readonly seen: { readonly count: number; readonly last: ImageReport | undefined };
  /** Says that the last report is durable: only then it is answered. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Listens for update images. It runs while boots are waited for. */
export interface ReportDesk {
  expect(ticket: BootTicket, order: object): Promise<ExpectedBoot>;
}

/** Where a desk listens. */
export interface DeskAddress {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string | undefined;
}

/** A new ticket: nobody can guess either half. */
export function createTicket(): BootTicket {
  return { key: randomBytes(16).toString('hex'), token: randomBytes(32).toString('base64url') };
}

interface Waiting {
  readonly ticket: BootTicket;
  readonly medium: Buffer;
  count: number;
  last: ImageReport | undefined;
  /** The last report can be answered. */
  isConfirmed: boolean;
  /** To the last report; more than one when it was said again meanwhile. */
  readonly unanswered: Set<ServerResponse>;
}

const sector = 512;
const mostBody = 16 * 1024;

/** Makes a desk. One address, however many boots. */
export function createReportDesk(address: DeskAddress): ReportDesk {
  const waiting = new Map<string, Waiting>();
  let opened: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  return {
    async expect(ticket, order) {
      opened ??= listen(address, waiting);
      const listening = opened;
      const { url } = await listening.catch((error: unknown) => {
        // The next one may be luckier.
        if (opened === listening) opened = undefined;
        throw error;
      });
      const reportUrl = `${url}/v1/boot/${ticket.key}/report`;
      const medium = mediumOf({ ...order, reportUrl, token: ticket.token });
      const unanswered = new Set<ServerResponse>();
      const entry: Waiting = { ticket, medium, count: 0, last: undefined, isConfirmed: false, unanswered };
      waiting.set(ticket.key, entry);
      return {
        mediumUrl: `${url}/v1/boot/${ticket.key}/parameters.img`,
        get seen() {
          return { count: entry.count, last: entry.last };
        },
        async confirm() {
          entry.isConfirmed = true;
          await answerAll(unanswered, 204);
        },
        async close() {
          waiting.delete(ticket.key);
          await answerAll(unanswered, 503);
          if (waiting.size > 0 || opened === undefined) return;
          const closing = opened;
          opened = undefined;
          const { server } = await closing;
          server.close();
          server.closeAllConnections();
        },
      };
    },
  };
}

async function listen({ host, port, publicUrl }: DeskAddress, waiting: ReadonlyMap<string, Waiting>) {
  const server = createServer((request, response) => {
    answer(request, response, waiting).catch(() => response.writeHead(500).end());
  });
  server.listen({ host, port });
  await once(server, 'listening').catch((cause: unknown) => {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    throw new JobError('reportPortTaken', { host, port }, { cause });
  });
  const { port: real } = server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { server, url: (publicUrl ?? `http://${shown}:${real}`).replace(/\/$/, '') };
}

/** A disk without a file system: JSON from its first byte, filled up with zeros. Any image can read that. */
function mediumOf(order: object): Buffer {
  const text = Buffer.from(JSON.stringify(order));
  const length = Math.max(2, Math.ceil((text.length + 1) / sector)) * sector;
  return Buffer.concat([text], length);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  waiting: ReadonlyMap<string, Waiting>,
): Promise<void> {
  const [, key = '', what = ''] = /^\/v1\/boot\/([0-9a-f]{32})\/([\w.]+)$/.exec(request.url ?? '') ?? [];
  const entry = waiting.get(key);
  if (entry === undefined) response.writeHead(404).end();
  else if (what === 'parameters.img' && (request.method === 'GET' || request.method === 'HEAD'))
    serveMedium(request, response, entry.medium);
  else if (what === 'report' && request.method === 'POST') await takeReport(request, response, entry);
  else response.writeHead(404).end();
}

/** BMCs read media in pieces. */
function serveMedium(request: IncomingMessage, response: ServerResponse, medium: Buffer): void {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const from = first === '' ? 0 : Number(first);
  const to = Math.min(last === '' ? medium.length - 1 : Number(last), medium.length - 1);
  const headers = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', 'cache-control': 'no-store' };
  if (from > to) {
    response.writeHead(416, { 'content-range': `bytes */${medium.length}` }).end();
    return;
  }
  const part = medium.subarray(from, to + 1);
  const range = first === '' ? {} : { 'content-range': `bytes ${from}-${to}/${medium.length}` };
  response.writeHead(first === '' ? 200 : 206, { ...headers, ...range, 'content-length': part.length });
  response.end(request.method === 'HEAD' ? undefined : part);
}

async function takeReport(request: IncomingMessage, response: ServerResponse, entry: Waiting): Promise<void> {
  if (!isSame(request.headers.authorization ?? '', `Bearer ${entry.ticket.token}`)) {
    response.writeHead(401).end();
    return;
  }
  const report = await readBody(request);
  if (report === undefined) {
    response.writeHead(400).end();
    return;
  }
  const isOver = entry.last !== undefined && entry.last.state !== 'running';
  // The last report ends it: the token was good once. Who did not get the answer may say it again.
  if (isOver && entry.last?.state !== report.state) {
    response.writeHead(409).end();
    return;
  }
  if (!isOver) {
    entry.count += 1;
    entry.last = report;
  }
  if (report.state === 'running' || entry.isConfirmed) {
    response.writeHead(204).end();
    return;
  }
  entry.unanswered.add(response);
  response.once('close', () => entry.unanswered.delete(response));
}

async function answerAll(responses: Set<ServerResponse>, status: number): Promise<void> {
  const all = [...responses];
  responses.clear();
  const ended = all.map((response) => {
    const over = Promise.race([once(response, 'finish'), once(response, 'close')]);
    response.writeHead(status).end();
    return over;
  });
  await Promise.allSettled(ended);
}

async function readBody(request: IncomingMessage): Promise<ImageReport | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > mostBody) return undefined;
    pieces.push(piece);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return check.Check(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isSame(given: string, wanted: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}
