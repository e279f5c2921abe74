import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';

const timeoutStatus = {
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

/** Answers what is not HTTP, and requests that end before their body does, as kube-apiserver does. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    if (error.code === 'HPE_INVALID_EOF_STATE' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end(response('504 Gateway Timeout', 'application/json', `${JSON.stringify(timeoutStatus)}\n`));
      return;
    }
    socket.end(response('400 Bad Request', 'text/plain; charset=utf-8', '400 Bad Request'));
  });
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
