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
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(response(status, 'text/plain; charset=utf-8', status));
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
