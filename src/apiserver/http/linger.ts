import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * How long a client may go on sending after it was refused. Closing a connection with unread bytes resets it, and the
 * client would lose the answer that says why.
 */
const lingerMs = 1000;

/** Reads and forgets the rest of a request, but not for long; then calls back once. */
export function drainRequest(request: IncomingMessage, done: () => void): void {
  const timer = setTimeout(finish, lingerMs);
  function finish(): void {
    clearTimeout(timer);
    request.off('end', finish).off('close', finish);
    done();
  }
  request.once('end', finish).once('close', finish);
  request.resume();
}

/** Says a last thing on a connection, and closes it when the other side does or the time is over. */
export function endConnection(socket: Duplex, text: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(text);
}
