import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createJsonFrames } from '../../src/switches/ovs/ovsdb/index.ts';
import { freePortRange } from '../../test/real/free-ports.ts';
import { until } from '../../test/real/ironic/until.ts';
import { type StartedProcess, startProcess } from '../../test/real/processes.ts';
import { switchPrograms } from '../../test/real/switches/programs.ts';

const execute = promisify(execFile);

/** The bridge of each database. */
export const bridge = 'br0';

/** Real databases of Open vSwitch, one a switch. */
export interface OvsdbServers {
  /** `tcp:127.0.0.1:PORT`, in the order of the switches: by network nobody expects OpenFlow beside the database. */
  readonly addresses: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts databases with a bridge of these ports each. There is no ovs-vswitchd behind them, which would need devices: that
 * the datapath follows is said by us at once, so that what is measured is the database and who talks to it.
 */
export async function startOvsdbServers(folder: string, ports: readonly (readonly string[])[]): Promise<OvsdbServers> {
  const root = join(await switchPrograms('ovs'), 'root');
  const lib = `${root}/usr/lib`;
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: `${lib}/x86_64-linux-gnu:${lib}/aarch64-linux-gnu` };
  mkdirSync(folder, { recursive: true });
  // Each of them is ended with us.
  process.setMaxListeners(process.getMaxListeners() + ports.length);
  const servers: StartedProcess[] = [];
  const followers: Socket[] = [];
  const addresses: string[] = [];
  const firstPort = await freePortRange(ports.length);
  for (const [index, names] of ports.entries()) {
    const socket = join(folder, `${index}.sock`);
    servers.push(await startDatabase({ root, env, folder, index, socket, port: firstPort + index }));
    const words = names.flatMap((name) => ['--', 'add-port', bridge, name]);
    const vsctl = join(root, 'usr/bin/ovs-vsctl');
    await execute(vsctl, [`--db=unix:${socket}`, '--no-wait', 'init', '--', 'add-br', bridge, ...words], { env });
    followers.push(follow(socket));
    addresses.push(`tcp:127.0.0.1:${firstPort + index}`);
  }
  return {
    addresses,
    async stop() {
      for (const each of followers) each.destroy();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

interface DatabaseOrder {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly index: number;
  readonly socket: string;
  readonly port: number;
}

async function startDatabase(order: DatabaseOrder): Promise<StartedProcess> {
  const { root, env, folder, index, socket, port } = order;
  const database = join(folder, `${index}.db`);
  const schema = join(root, 'usr/share/openvswitch/vswitch.ovsschema');
  await execute(join(root, 'usr/bin/ovsdb-tool'), ['create', database, schema], { env });
  const server = startProcess({
    name: 'ovsdb-server',
    file: join(root, 'usr/sbin/ovsdb-server'),
    args: [
      database,
      `--remote=punix:${socket}`,
      `--remote=ptcp:${port}:127.0.0.1`,
      `--unixctl=${join(folder, `${index}.ctl`)}`,
    ],
    env: { ...env, OVS_RUNDIR: folder, OVS_LOGDIR: folder },
    logPath: join(folder, `${index}.log`),
  });
  const look = async () => existsSync(socket) || undefined;
  await until({ what: 'a database', timeoutMs: 30_000, look, detail: () => server.tail() });
  return server;
}

interface Message {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
}

/** Says of every configuration at once that it is in force, as ovs-vswitchd does when it is. */
function follow(path: string): Socket {
  const socket = createConnection(path);
  const send = (message: object): void => void socket.write(JSON.stringify(message));
  const answer = ({ id, method, params = [], result }: Message): void => {
    if (method === 'echo') send({ id, result: params, error: null });
    const told = id === 'monitor' ? result : method === 'update' ? params[1] : undefined;
    const { Open_vSwitch: rows = {} } = (told ?? {}) as {
      Open_vSwitch?: Record<string, { new?: { next_cfg?: number } }>;
    };
    const row = { cur_cfg: Object.values(rows)[0]?.new?.next_cfg };
    if (row.cur_cfg === undefined) return;
    const update = { op: 'update', table: 'Open_vSwitch', where: [], row };
    send({ id: 'follow', method: 'transact', params: ['Open_vSwitch', update] });
  };
  const frames = createJsonFrames({ maxBytes: 1 << 20 });
  socket.on('data', (chunk) => {
    for (const message of frames.push(chunk)) answer(message as Message);
  });
  socket.on('error', () => {});
  const columns = { Open_vSwitch: { columns: ['next_cfg'] } };
  send({ id: 'monitor', method: 'monitor', params: ['Open_vSwitch', null, columns] });
  return socket;
}
