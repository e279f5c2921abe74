import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './limits.ts';
import type { Rejection } from './overloaded.ts';
import { Tally } from './tally.ts';

/** What connections that were sent away are counted as. */
type RefusedConnection = Extract<Rejection, 'connections' | 'connections-per-address'>;

type CountLimits = Pick<ConnectionLimits, 'connections' | 'connectionsPerAddress'>;

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  /** Requests that are being answered. */
  requests: number;
}

const everybody = '';

/**
 * Keeps connections within the limits. One more takes the place of the one of its address, or of all, that has been idle
 * for longest: whoever only holds connections open keeps nobody out. Where none is idle, the new one is closed before it
 * costs a handshake.
 */
export function limitConnections(
  server: HttpServer | HttpsServer,
  limits: CountLimits,
  onRefused: (why: RefusedConnection) => void,
): void {
  const open = new Tally();
  /** By address and port of the peer, which TLS sockets share with what they run on; the longest idle first. */
  const connections = new Map<string, Connection>();
  const touch = (key: string, connection: Connection): void => {
    connections.delete(key);
    connections.set(key, connection);
  };
  const isFull = (address: string): RefusedConnection | undefined => {
    if (open.count(address) >= limits.connectionsPerAddress) return 'connections-per-address';
    return open.count(everybody) >= limits.connections ? 'connections' : undefined;
  };
  const leave = (key: string): void => {
    const connection = connections.get(key);
    if (connection === undefined || !connections.delete(key)) return;
    open.give(connection.address);
    open.give(everybody);
    connection.socket.destroy();
  };
  const makeRoom = (address: string, why: RefusedConnection): boolean => {
    for (const [key, connection] of connections) {
      if (connection.requests > 0 || (why === 'connections-per-address' && connection.address !== address)) continue;
      leave(key);
      return true;
    }
    return false;
  };
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? 'gone';
    const key = keyOf(socket);
    for (let why = isFull(address); why !== undefined; why = isFull(address)) {
      onRefused(why);
      if (makeRoom(address, why)) continue;
      socket.destroy();
      return;
    }
    open.take(address, limits.connectionsPerAddress);
    open.take(everybody, limits.connections);
    connections.set(key, { address, socket, requests: 0 });
    socket.once('close', () => {
      if (connections.get(key)?.socket === socket) leave(key);
    });
    for (const listener of listeners) listener.call(server, socket);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const key = keyOf(request.socket);
    const connection = connections.get(key);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (connections.get(key) === connection) touch(key, connection);
    });
  });
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
