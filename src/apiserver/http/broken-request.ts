import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { endConnection } from './linger.ts';

const timeoutStatus = {
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

const badChunk = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'invalid byte in chunk length',
  code: 500,
};
const missingHost = '400 Bad Request: missing required Host header';

/**
 * How long a handshake that took too long may still take. After the machine stood still all timers are due before anybody
 * was heard, and whoever came meanwhile is not to blame.
 */
const graceMs = 5000;

/** Answers what is not HTTP, and requests that end before their body does, as kube-apiserver does. */
export function answerBrokenRequests(server: Server, grace = { ms: graceMs }): void {
  const late = new WeakMap<Duplex, NodeJS.Timeout>();
  server.on('secureConnection', (socket) => clearTimeout(late.get(socket)));
  const answering = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  server.prependListener('request', (request, response) => {
    answering.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Nothing may be written: with the end of the handshake it would be the answer to whatever is asked first.
    if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') {
      const timer = setTimeout(() => socket.destroy(), grace.ms);
      socket.once('close', () => clearTimeout(timer));
      late.set(socket, timer);
      return;
    }
    if (refused.has(socket)) return; // more of what was refused already
    refused.add(socket);
    const before = answering.get(socket);
    const isInsideBody = before !== undefined && !before.req.complete;
    // Bytes after a whole request are a broken next one: the whole one gets its answer first.
    if (before !== undefined && !before.writableFinished && !isInsideBody)
      before.once('close', () => answerBroken(error, socket, false));
    else answerBroken(error, socket, isInsideBody);
  });
}

function answerBroken(error: NodeJS.ErrnoException, socket: Duplex, isInsideBody: boolean): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A client that dials ahead would take an answer for that of its next request.
  if (isLate && !isInsideBody) {
    socket.destroy();
    return;
  }
  if (isLate || (error.code === 'HPE_INVALID_EOF_STATE' && isInsideBody)) {
    endConnection(socket, response('504 Gateway Timeout', 'application/json', `${JSON.stringify(timeoutStatus)}\n`));
    return;
  }
  if (error.code === 'HPE_INVALID_CHUNK_SIZE') {
    endConnection(socket, response('500 Internal Server Error', 'application/json', `${JSON.stringify(badChunk)}\n`));
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  endConnection(socket, response(status, 'text/plain; charset=utf-8', status));
}

/** True when the request was refused because HTTP/1.1 demands a Host header. */
export function refuseWithoutHost(request: IncomingMessage): boolean {
  if (request.headers.host !== undefined || request.httpVersion === '1.0') return false;
  endConnection(request.socket, response(missingHost, 'text/plain; charset=utf-8', missingHost));
  return true;
}

function response(status: string, contentType: string, body: string): string {
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
