import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonFrames } from '../ovsdb/index.ts';
import { FakeDatabase, notYet } from './fake-database.ts';
import { FakeFlowTable } from './fake-flow-table.ts';

/** A make-believe Open vSwitch that speaks OVSDB and OpenFlow on two unix sockets. */
export interface FakeOvs {
  readonly address: string;
  /** The database alone, by TCP. */
  readonly tcpAddress: string;
  readonly bridge: string;
  readonly database: FakeDatabase;
  readonly flows: FakeFlowTable;
  /** Changes a column of a port as somebody else would; watchers are told. */
  setPort(port: string, columns: Readonly<Record<string, unknown>>): void;
  /** Closes all OpenFlow lines and forgets all flows, as ovs-vswitchd does when it restarts. */
  restartSwitch(): void;
  /** Closes all lines to the database. */
  dropLines(): void;
  /** Takes lines and says nothing more. */
  setSilent(isSilent: boolean): void;
  /** Asks each line for an echo and resolves when one answers. */
  probeLines(): Promise<void>;
  stop(): Promise<void>;
}

const bridge = 'br0';

/** Starts a make-believe Open vSwitch with these ports. */
export async function startFakeOvs(ports: readonly string[]): Promise<FakeOvs> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-ovs-'));
  const database = filled(ports);
  const flows = new FakeFlowTable(ports);
  const lines = new Set<Line>();
  const state = { isSilent: false };
  const server = createServer((socket) => serveDatabase(socket, { database, lines, state }));
  const tcpServer = createServer((socket) => serveDatabase(socket, { database, lines, state }));
  const flowServer = createServer((socket) => flows.serve(socket));
  await listen(server, join(folder, 'db.sock'));
  await listen(tcpServer, { host: '127.0.0.1', port: 0 });
  await listen(flowServer, join(folder, `${bridge}.mgmt`));
  return {
    address: `unix:${join(folder, 'db.sock')}`,
    tcpAddress: `tcp:127.0.0.1:${portOf(tcpServer)}`,
    bridge,
    database,
    flows,
    setPort(port, columns) {
      for (const [id, row] of database.rows('Port')) {
        if (row.name !== port) continue;
        Object.assign(row, columns);
        tellChanges(lines, database, new Map([['Port', new Set([id])]]));
      }
    },
    restartSwitch: () => flows.restart(),
    dropLines() {
      for (const { socket } of lines) socket.destroy();
    },
    setSilent(isSilent) {
      state.isSilent = isSilent;
    },
    probeLines: () =>
      new Promise((resolve) => {
        for (const line of lines) {
          line.onEcho = resolve;
          line.socket.write(JSON.stringify({ id: 'probe', method: 'echo', params: ['there?'] }));
        }
      }),
    async stop() {
      for (const { socket } of lines) socket.destroy();
      flows.restart();
      await Promise.all([server, tcpServer, flowServer].map(close));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function filled(ports: readonly string[]): FakeDatabase {
  const database = new FakeDatabase();
  const ids = [bridge, ...ports].map((name, ofport) => {
    const port = database.insert('Interface', {
      name,
      ofport: ofport === 0 ? 65_534 : ofport,
      admin_state: 'up',
      link_state: 'up',
      lldp: ['map', []],
      mac_in_use: '02:00:00:00:00:01',
    });
    return database.insert('Port', { name, protected: false, external_ids: ['map', []], interfaces: ['uuid', port] });
  });
  const id = database.insert('Bridge', { name: bridge, ports: ['set', ids.map((each) => ['uuid', each])] });
  database.insert('Open_vSwitch', { ovs_version: '3.1.0', next_cfg: 0, cur_cfg: 0, bridges: ['uuid', id] });
  return database;
}

interface Line {
  readonly socket: Socket;
  monitorId: unknown;
  onEcho: (() => void) | undefined;
}

interface Service {
  readonly database: FakeDatabase;
  readonly lines: Set<Line>;
  readonly state: { readonly isSilent: boolean };
}

function serveDatabase(socket: Socket, service: Service): void {
  const frames = createJsonFrames({ maxBytes: 1 << 20 });
  const line: Line = { socket, monitorId: undefined, onEcho: undefined };
  service.lines.add(line);
  socket.on('close', () => service.lines.delete(line));
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    if (service.state.isSilent) return;
    for (const message of frames.push(chunk)) answer(line, message as Message, service);
  });
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params: readonly unknown[];
}

function answer(line: Line, { id, method, params }: Message, service: Service): void {
  const reply = (result: unknown, error: unknown = null): void =>
    void line.socket.write(JSON.stringify({ id, result, error }));
  if (method === undefined) line.onEcho?.();
  else if (method === 'echo') reply(params);
  else if (method === 'transact') transact(params.slice(1) as Record<string, unknown>[], reply, service);
  else if (method === 'monitor_cond') {
    line.monitorId = params[1];
    reply(initialUpdate(service.database));
  } else reply(null, { error: 'unknown method' });
}

/** A wait that is not fulfilled is tried again when the switch has caught up, which here it does at once after. */
function transact(operations: Record<string, unknown>[], reply: (result: unknown) => void, service: Service): void {
  let outcome = service.database.transact(operations);
  while (outcome === notYet) {
    catchUp(service.database);
    outcome = service.database.transact(operations);
  }
  reply(outcome.results);
  tellChanges(service.lines, service.database, outcome.changes);
}

/** ovs-vswitchd makes the datapath follow and says which configuration it has reached. */
function catchUp(database: FakeDatabase): void {
  for (const row of database.rows('Open_vSwitch').values()) row.cur_cfg = row.next_cfg;
}

function initialUpdate(database: FakeDatabase): unknown {
  const table = (name: string) =>
    Object.fromEntries(
      [...database.rows(name)].map(([id, row]) => [id, { initial: { name: row.name, ofport: row.ofport } }]),
    );
  return { Port: table('Port'), Interface: table('Interface') };
}

/** Only changed columns are told, so that whoever watches has to remember the names. */
function tellChanges(
  lines: ReadonlySet<Line>,
  database: FakeDatabase,
  changes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const update = Object.fromEntries(
    [...changes]
      .filter(([table]) => table === 'Port' || table === 'Interface')
      .map(([table, ids]) => [
        table,
        Object.fromEntries([...ids].map((id) => [id, { modify: { tag: database.rows(table).get(id)?.tag } }])),
      ]),
  );
  if (Object.keys(update).length === 0) return;
  for (const { socket, monitorId } of lines) {
    if (monitorId !== undefined)
      socket.write(JSON.stringify({ id: null, method: 'update2', params: [monitorId, update] }));
  }
}

function listen(server: Server, place: string | { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve) => {
    if (typeof place === 'string') server.listen(place, resolve);
    else server.listen(place.port, place.host, resolve);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
