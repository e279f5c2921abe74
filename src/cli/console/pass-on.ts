import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ClusterAddress } from '../../kube/index.ts';

type Response = ServerResponse<IncomingMessage>;

/** Whom a request is passed on to. */
export interface Behind {
  /** Where it is and how its certificate is checked; nothing that proves who we are. */
  readonly behind: ClusterAddress;
  /** What it is called when it cannot be reached. */
  readonly name: string;
  /** Its own tokens may be others than those people log in with: not to know one is no reason to log them out. */
  readonly hasOtherTokens?: boolean;
}

/** Headers that go on. Whom to impersonate, cookies and the like are not among them. */
const passedOn = [
  'authorization',
  'accept',
  'content-type',
  'content-length',
  'accept-encoding',
  // So that the audit log of the cluster tells what somebody did in a browser.
  'user-agent',
] as const;
const passedBack = ['content-type', 'content-encoding', 'content-length', 'warning', 'retry-after', 'audit-id'];

/** Passes a request on with the token of whoever asks, and the answer back. */
export function passOn({ behind, name, hasOtherTokens }: Behind, request: IncomingMessage, response: Response): void {
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) {
    refuse(response, 401, 'log in with a token of the cluster');
    return;
  }
  const headers = Object.fromEntries(
    passedOn.flatMap((header) => {
      const value = request.headers[header];
      return value === undefined ? [] : [[header, value]];
    }),
  );
  const target = new URL(behind.server);
  const options = {
    method: request.method ?? 'GET',
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port),
    path: `${target.pathname.replace(/\/$/, '')}${request.url ?? '/'}`,
    headers,
    // A kept connection may be ended by the server just when a request goes out, and a write cannot be sent again for somebody.
    agent: false,
  } as const;
  const ask = target.protocol === 'https:' ? httpsRequest({ ...options, ...behind.tls }) : httpRequest(options);
  ask.on('response', (answer) => {
    if (answer.statusCode === 401 && hasOtherTokens === true) {
      answer.resume();
      refuse(response, 403, `${name} does not take your token`);
      return;
    }
    const kept = Object.entries(answer.headers).filter(([header]) => passedBack.includes(header));
    response.writeHead(answer.statusCode ?? 502, { 'Cache-Control': 'no-store', ...Object.fromEntries(kept) });
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  ask.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, `${name} cannot be reached: ${error.code ?? error.message}`);
  });
  response.on('close', () => ask.destroy());
  request.pipe(ask);
}

/** Answers as an API server refuses. */
export function refuse(response: Response, code: number, message: string): void {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message });
  response.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
}
