import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ExtraRoute } from '../../apiserver/index.ts';
import type { CertifiedKey, ClusterAddress } from '../../kube/index.ts';
import { explainListenError } from '../plane/listen-error.ts';
import type { ConsoleFront } from './console-front.ts';
import { answerExtraPath } from './extra-paths.ts';

/** What the console of a cluster is served with. */
export interface ClusterConsoleParts {
  readonly front: ConsoleFront;
  /** Where the cluster is and how its certificate is checked; nothing that proves who we are. */
  readonly cluster: ClusterAddress;
  /** Paths beside those of Kubernetes. */
  readonly routes?: readonly ExtraRoute[];
  /** Without it only loopback addresses are listened on. */
  readonly certificate: CertifiedKey | undefined;
  readonly host: string;
  readonly port: number;
}

/** A console that is served. */
export interface ServedConsole {
  readonly url: string;
  close(): Promise<void>;
}

/** Headers that go on to the cluster. Whom to impersonate, cookies and the like are not among them. */
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

/** Serves the console on a port of its own, and passes what it asks the Kubernetes API on with the token of whoever asks. */
export async function serveClusterConsole(parts: ClusterConsoleParts): Promise<ServedConsole> {
  const { front, certificate, host, port } = parts;
  const listener = (request: IncomingMessage, response: Parameters<typeof passOn>[2]): void => {
    if (front.handle(request, response)) return;
    if (answerExtraPath(parts.routes ?? [], request, response)) return;
    passOn(parts.cluster, request, response);
  };
  const server: Server =
    certificate === undefined
      ? createHttpServer(listener)
      : createHttpsServer({ cert: certificate.certificatePem, key: certificate.privateKeyPem }, listener);
  const bound = await listen(server, { host, port });
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://${name}:${bound}/console/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function passOn(
  { server, tls }: ClusterAddress,
  request: IncomingMessage,
  response: Parameters<Parameters<typeof createHttpServer>[1] & object>[1],
): void {
  const path = request.url ?? '/';
  const refuse = (code: number, message: string): void => {
    const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message });
    response
      .writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  };
  if (!/^\/apis?\//.test(path)) {
    refuse(404, 'there is nothing here; the console is at /console/');
    return;
  }
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) {
    refuse(401, 'log in with a token of the cluster');
    return;
  }
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const target = new URL(server);
  const options = {
    method: request.method ?? 'GET',
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port),
    path: `${target.pathname.replace(/\/$/, '')}${path}`,
    headers,
  };
  const ask = target.protocol === 'https:' ? httpsRequest({ ...options, ...tls }) : httpRequest(options);
  ask.on('response', (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => passedBack.includes(name));
    response.writeHead(answer.statusCode ?? 502, { 'Cache-Control': 'no-store', ...Object.fromEntries(kept) });
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  ask.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) response.destroy();
    else refuse(502, `the cluster cannot be reached: ${error.code ?? error.message}`);
  });
  response.on('close', () => ask.destroy());
  request.pipe(ask);
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw explainListenError(error, { host, port });
  }
}
