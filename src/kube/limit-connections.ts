import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/** What connections that were sent away are counted as. */
export type RefusedConnection = 'connections' | 'connections-per-address';

/** How many connections there may be at once. */
export interface CountLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

/** What servers allow unless told otherwise. */
export const usualConnections: CountLimits = { connections: 4096, connectionsPerAddress: 1024 };

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  /** Requests that are being answered. */
  requests: number;
}

/**
 * Keeps connections within the limits. One more takes the place of the one of its address, or of all, that has been idle
 * for longest: whoever only holds connections open keeps nobody out. Where none is idle, the new one is closed before it
 * costs a handshake. Returns what has to be called for requests that the server does not emit itself, such as those of HTTP/2.
 */
export function limitConnections(
  server: HttpServer | HttpsServer,
  limits: CountLimits,
  onRefused: (why: RefusedConnection) => void = () => undefined,
): (request: Pick<IncomingMessage, 'socket'>, response: Pick<ServerResponse, 'once'>) => void {
  const counts = new Map<string, number>();
  /** By address and port of the peer, which TLS sockets share with what they run on; the longest idle first. */
  const connections = new Map<string, Connection>();
  const touch = (key: string, connection: Connection): void => {
    connections.delete(key);
    connections.set(key, connection);
  };
  const isFull = (address: string): RefusedConnection | undefined => {
    if ((counts.get(address) ?? 0) >= limits.connectionsPerAddress) return 'connections-per-address';
    return connections.size >= limits.connections ? 'connections' : undefined;
  };
  const leave = (key: string): void => {
    const connection = connections.get(key);
    if (connection === undefined || !connections.delete(key)) return;
    const left = (counts.get(connection.address) ?? 1) - 1;
    if (left > 0) counts.set(connection.address, left);
    else counts.delete(connection.address);
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
    counts.set(address, (counts.get(address) ?? 0) + 1);
    connections.set(key, { address, socket, requests: 0 });
    socket.once('close', () => {
      if (connections.get(key)?.socket === socket) leave(key);
    });
    for (const listener of listeners) listener.call(server, socket);
  });
  const onRequest: ReturnType<typeof limitConnections> = (request, response) => {
    const key = keyOf(request.socket);
    const connection = connections.get(key);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (connections.get(key) === connection) touch(key, connection);
    });
  };
  server.on('request', onRequest);
  return onRequest;
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
