import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { createServer as createHttp2, createSecureServer, type Http2Server } from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import type { connectNodeAdapter } from '@connectrpc/connect-node';
import type { CertifiedKey } from '../../kube/index.ts';
import { http2Settings, limitHttp2, tellApart } from '../../rest/index.ts';

/** Answers requests, of HTTP/1.1 and HTTP/2 alike. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

/** Where to listen, and with which certificate; without one only clear text is spoken. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly certificate?: CertifiedKey | undefined;
}

/** A listener that speaks HTTP/1.1 and HTTP/2 on one port. */
export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Serves new connections with another certificate. */
  setCertificate(certificate: CertifiedKey): void;
  /** Takes no more connections and ends those there are. */
  close(): Promise<void>;
}

const longestHeadersMs = 15_000;
/** Streams of answers may have nothing to tell for long. */
const limits = { requestMs: 30_000, idleMs: 60_000, silentMs: 0 };

/** With TLS the protocol is agreed on in the handshake; in clear text the first bytes tell. */
export async function listen(handler: NodeHandler, options: ListenOptions): Promise<Listener> {
  const { certificate, host, port } = options;
  const sockets = new Set<Socket>();
  const parts = certificate === undefined ? clearText(handler) : withTls(handler, certificate);
  parts.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    parts.server.once('error', reject);
    parts.server.listen({ host, port }, () => {
      parts.server.off('error', reject);
      resolve();
    });
  });
  const address = parts.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://${name}:${address.port}`,
    port: address.port,
    setCertificate: parts.setCertificate,
    async close() {
      const closed = new Promise<void>((resolve) => parts.server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Parts {
  readonly server: Server;
  setCertificate(certificate: CertifiedKey): void;
}

function tlsOf({ certificatePem, privateKeyPem }: CertifiedKey) {
  return { cert: certificatePem, key: privateKeyPem, minVersion: 'TLSv1.2' } as const;
}

function withTls(handler: NodeHandler, certificate: CertifiedKey): Parts {
  const server = createSecureServer({ ...tlsOf(certificate), ...http2Settings, allowHTTP1: true }, handler);
  limitHttp2(server, limits);
  server.on('sessionError', () => {});
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return { server, setCertificate: (next) => server.setSecureContext(tlsOf(next)) };
}

function clearText(handler: NodeHandler): Parts {
  const http2: Http2Server = createHttp2(http2Settings, handler);
  limitHttp2(http2, limits);
  const http: HttpServer = createHttp({ headersTimeout: longestHeadersMs }, handler);
  http2.on('sessionError', () => {});
  const server = createTcp((socket) =>
    tellApart(socket, {
      toHttp1: (one) => http.emit('connection', one),
      toHttp2: (one) => http2.emit('connection', one),
    }),
  );
  return {
    server,
    setCertificate() {
      throw new TypeError('a listener without a certificate does not get one later');
    },
  };
}
