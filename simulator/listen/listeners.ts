import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer, type Socket, type Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Machine } from '../machine/machine.ts';
import type { Endpoint } from './addresses.ts';
import type { Certificates } from './certificates.ts';
import { ListenError, listenErrorOf } from './errors.ts';

/** How many servers are opened at a time. */
const batchSize = 128;
/** Longer than clients keep idle connections, so that a request seldom meets a connection that is just being closed. */
const keepAliveMs = 30_000;
/** How often another port is tried for when the one found is taken at another address. */
const freePortTries = 8;

/** Answers a request that came to a BMC. */
export type Answer = (machine: Machine, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What the listeners need. */
export interface ListenersOptions {
  answer: Answer;
  /** undefined: plain HTTP. */
  readonly certificates: Certificates | undefined;
}

interface Connection {
  readonly machine: Machine;
  readonly raw: Socket;
  /** What HTTP runs on: the same, or TLS over it. */
  duplex: Duplex | undefined;
}

/** The open ports of a data centre: a bare TCP server for each BMC in front of one HTTP server for all. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #http: Server;
  readonly #servers: TcpServer[] = [];
  /** What an HTTP connection belongs to. */
  readonly #owners = new WeakMap<Duplex, Connection>();
  readonly #open = new Map<Machine, Set<Connection>>();
  #isClosed = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#http = createHttpServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0, headersTimeout: 60_000 });
    this.#http.on('request', (request, response) => this.#request(request, response));
    // The front gives leave to send a body, once it knows that it wants it.
    this.#http.on('checkContinue', (request, response) => this.#request(request, response));
    this.#http.on('clientError', (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
  }

  /** Opens a port for every machine; on failure nothing stays open. Returns where each one listens. */
  async open(machines: readonly Machine[], endpoints: readonly Endpoint[]): Promise<Endpoint[]> {
    const opened: Endpoint[] = [];
    try {
      for (let start = 0; start < machines.length; start += batchSize) {
        const batch = machines.slice(start, start + batchSize).map((machine, at) => {
          const endpoint = endpoints[start + at];
          if (endpoint === undefined) throw new RangeError(`there is no endpoint for ${machine.name}`);
          return this.#listen(machine, { ...endpoint, count: machines.length });
        });
        for (const result of await Promise.allSettled(batch)) {
          if (result.status === 'rejected') throw result.reason;
          opened.push(result.value);
        }
      }
    } catch (error) {
      await this.#closeServers();
      throw error;
    }
    return opened;
  }

  /** The same port at every address: a free one unless it is given. */
  async openOnOnePort(machines: readonly Machine[], addresses: readonly string[], port: number): Promise<Endpoint[]> {
    for (let tries = 1; ; tries++) {
      const free = port === 0 ? await findFreePort(addresses[0] ?? '127.0.0.1') : port;
      try {
        return await this.open(
          machines,
          addresses.map((address) => ({ address, port: free })),
        );
      } catch (error) {
        const isTaken = error instanceof ListenError && error.code === 'EADDRINUSE';
        if (port !== 0 || !isTaken || tries === freePortTries) throw error;
      }
    }
  }

  /** Cuts a connection as a crash would: the client sees a reset. */
  reset(connection: Duplex): void {
    const raw = this.#owners.get(connection)?.raw;
    if (raw === undefined) connection.destroy();
    else raw.resetAndDestroy();
  }

  /** Cuts all connections of a BMC but those that are spared: the one that told it to restart still gets its answer. */
  resetAll(machine: Machine, isSpared: (connection: Duplex) => boolean = () => false): void {
    for (const { raw, duplex } of this.#open.get(machine) ?? []) {
      if (duplex === undefined || !isSpared(duplex)) raw.resetAndDestroy();
    }
  }

  /** Closes all ports and ends all connections, idle or not. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connections of this.#open.values()) for (const { raw } of connections) raw.destroy();
    await this.#closeServers();
    this.#http.close();
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const owner = this.#owners.get(request.socket);
    if (owner === undefined) request.destroy();
    else void this.#options.answer(owner.machine, request, response);
  }

  #listen(machine: Machine, at: Endpoint & { readonly count: number }): Promise<Endpoint> {
    const server = createServer({ noDelay: true }, (raw) => {
      this.#accept(machine, { raw, address: at.address }).catch(() => raw.destroy());
    });
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(listenErrorOf(error, at)));
      server.listen(at.port, at.address, () => {
        server.removeAllListeners('error');
        // Running out of files while accepting must not end the process.
        server.on('error', () => undefined);
        this.#servers.push(server);
        const bound = server.address();
        const port = typeof bound === 'object' && bound !== null ? bound.port : at.port;
        resolve({ address: at.address, port });
      });
    });
  }

  async #accept(machine: Machine, at: { readonly raw: Socket; readonly address: string }): Promise<void> {
    const { raw, address } = at;
    if (!machine.manager.isReachable || this.#isClosed) {
      raw.resetAndDestroy();
      return;
    }
    const connection: Connection = { machine, raw, duplex: undefined };
    this.#track(connection);
    const { certificates } = this.#options;
    if (certificates === undefined) {
      this.#hand(connection, raw);
      return;
    }
    const secureContext = await certificates.contextOf(machine, address);
    if (raw.destroyed) return;
    const secure = new TLSSocket(raw, { isServer: true, secureContext });
    // A client that does not trust the certificate leaves in the middle of the handshake.
    secure.on('error', () => raw.destroy());
    this.#hand(connection, secure);
  }

  #hand(connection: Connection, duplex: Duplex): void {
    connection.duplex = duplex;
    this.#owners.set(duplex, connection);
    this.#http.emit('connection', duplex);
  }

  #track(connection: Connection): void {
    const { machine, raw } = connection;
    const connections = this.#open.get(machine) ?? new Set();
    this.#open.set(machine, connections);
    connections.add(connection);
    raw.on('error', () => undefined);
    raw.once('close', () => {
      connections.delete(connection);
      if (connections.size === 0) this.#open.delete(machine);
    });
  }

  async #closeServers(): Promise<void> {
    const closing = this.#servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)));
    await Promise.all(closing);
  }
}

function findFreePort(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(listenErrorOf(error, { address, port: 0, count: 1 })));
    probe.listen(0, address, () => {
      const bound = probe.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
