import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Whether a connection failed only because nothing was asked on it in time. Go clients dial ahead and take what comes
 * for the answer to their next request, so it has to be closed without one.
 */
export function isUnasked(error: Error & { readonly code?: string }, { bytesRead }: Socket): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && bytesRead === 0;
}

/** Closes connections on which nothing was asked without an answer, and answers other broken ones as Node does. */
export function closeUnaskedConnections(server: HttpServer | HttpsServer): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    const isAnswered = socket.writable && !isUnasked(error, socket);
    if (!isAnswered) socket.destroy();
    else {
      const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    }
  });
}
