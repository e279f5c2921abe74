import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './limits.ts';
import type { Rejection } from './overloaded.ts';
import { Tally } from './tally.ts';

/** What refused connections are counted as. */
type RefusedConnection = Extract<Rejection, 'connections' | 'connections-per-address'>;

const everybody = '';

/** Closes connections past the limits before they cost a handshake; the others go where they would have gone. */
export function limitConnections(
  server: Server,
  limits: Pick<ConnectionLimits, 'connections' | 'connectionsPerAddress'>,
  onRefused: (why: RefusedConnection) => void,
): void {
  const open = new Tally();
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const refused = enter(open, socket, limits);
    if (refused !== undefined) {
      onRefused(refused);
      socket.destroy();
      return;
    }
    for (const listener of listeners) listener.call(server, socket);
  });
}

function enter(
  open: Tally,
  socket: Socket,
  limits: Pick<ConnectionLimits, 'connections' | 'connectionsPerAddress'>,
): RefusedConnection | undefined {
  const address = socket.remoteAddress ?? 'gone';
  if (!open.take(address, limits.connectionsPerAddress)) return 'connections-per-address';
  if (!open.take(everybody, limits.connections)) {
    open.give(address);
    return 'connections';
  }
  socket.once('close', () => {
    open.give(address);
    open.give(everybody);
  });
  return undefined;
}
