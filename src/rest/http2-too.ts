import type { Server as HttpServer, RequestListener } from 'node:http';
import { createServer as createHttp2, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Http2Limits, http2Settings, limitHttp2 } from './limit-http2.ts';

/** How a client begins that knows that HTTP/2 is spoken. */
const preface = Buffer.from('PRI * HTTP/2');
const longestPrefaceMs = 15_000;

/** Connections of HTTP/2 beside those of a server. */
export interface Http2Too {
  /** Ends them, and takes no more: a client that comes back at once would keep the server from closing. */
  close(): void;
}

/**
 * Lets an HTTP/1.1 server answer HTTP/2 on the same port: with TLS the protocol is agreed on in the handshake, for which the server
 * has to offer `h2`; in clear text the first bytes tell. Connections of HTTP/1.1 stay the server's own, with all its limits; those of
 * HTTP/2 get limits like them.
 */
export function answerHttp2Too(server: HttpServer, handler: RequestListener, limits: Http2Limits): Http2Too {
  // Node's compatible requests and responses are what handlers of HTTP/1.1 take.
  const answer = handler as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  const http2 = createHttp2(http2Settings, answer);
  limitHttp2(http2, limits);
  /** Those of HTTP/2, and those of which nobody knows yet: the server itself knows nothing of either. */
  const sockets = new Set<Socket>();
  let isClosed = false;
  http2.on('sessionError', () => {});
  const keep = (socket: Socket): void => {
    if (isClosed) socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const toHttp2 = (socket: Socket): void => {
    keep(socket);
    socket.on('error', () => socket.destroy());
    if (!isClosed) http2.emit('connection', socket);
  };
  const event = server instanceof HttpsServer ? 'secureConnection' : 'connection';
  const own = server.listeners(event) as ((socket: Socket) => void)[];
  const toHttp1 = (socket: Socket): void => {
    sockets.delete(socket);
    for (const listener of own) listener.call(server, socket);
  };
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    if (event === 'connection') {
      keep(socket);
      tellApart(socket, { toHttp1, toHttp2 });
    } else if ((socket as TLSSocket).alpnProtocol === 'h2') toHttp2(socket);
    else toHttp1(socket);
  });
  return {
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Where a connection goes once its protocol is known. */
export interface ProtocolChoice {
  toHttp1(socket: Socket): void;
  toHttp2(socket: Socket): void;
}

/** Reads as much of a connection in clear text as it takes to know the protocol, and hands it on with nothing lost. */
export function tellApart(socket: Socket, { toHttp1, toHttp2 }: ProtocolChoice): void {
  let seen = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), longestPrefaceMs);
  const onData = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isHttp2 = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isHttp2 && seen.length < preface.length) return;
    done();
    socket.pause();
    socket.unshift(seen);
    if (isHttp2) toHttp2(socket);
    else toHttp1(socket);
    process.nextTick(() => socket.resume());
  };
  const onError = (): void => {
    socket.destroy();
  };
  const done = (): void => {
    clearTimeout(timer);
    socket.off('data', onData);
    socket.off('close', done);
    socket.off('error', onError);
  };
  socket.on('error', onError);
  socket.on('data', onData);
  socket.on('close', done);
}
