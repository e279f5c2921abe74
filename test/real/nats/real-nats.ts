import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NatsSettings } from '../../../src/engine/bus/index.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { realNatsServer } from './binaries.ts';

/** Where a real NATS shall live and whom it lets in. */
export interface RealNatsOptions {
  /** Kept between starts, so that a server can be stopped and started again with what it had. */
  readonly dataDir: string;
  readonly port: number;
  readonly user?: { readonly name: string; readonly password: string };
  /** The public key of the one user that may log in with its seed. */
  readonly nkey?: string;
  /** Paths of PEM files; with `ca` clients need a certificate. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /** JetStream is on unless this is true. */
  readonly isWithoutJetStream?: boolean;
}

/** Times for a bus whose server only answers late because the machine has much else to do. */
export const patientTimes = {
  firstConnectMs: 60_000,
  dialTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  ackWaitMs: 20_000,
} as const satisfies Partial<NatsSettings>;

/** A running nats-server with JetStream. */
export interface RealNats {
  /** With user and password, if the server wants them. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The last lines of its log. */
  tail(): string;
  /** Asks it to end and waits for that. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Makes it hang, with its connections open, and resolves when it does. */
  freeze(): Promise<void>;
  thaw(): void;
}

/** Starts a real NATS on loopback and resolves when it answers. */
export async function startNats(options: RealNatsOptions): Promise<RealNats> {
  const file = await realNatsServer();
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const config = join(dataDir, 'nats.conf');
  writeFileSync(config, configOf({ ...options, dataDir }), { mode: 0o600 });
  const server = startProcess({
    name: 'nats-server',
    file,
    args: ['--config', config],
    cwd: dataDir,
    logPath: join(dataDir, 'nats-server.log'),
  });
  await waitUntilReady(server, options.port);
  const login = options.user === undefined ? '' : `${options.user.name}:${encodeURIComponent(options.user.password)}@`;
  return {
    url: `${options.tls === undefined ? 'nats' : 'tls'}://${login}127.0.0.1:${options.port}`,
    port: options.port,
    pid: server.pid,
    tail: () => server.tail(),
    stop: () => server.stop(),
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      // Stopping what was killed already only waits for its end.
      await server.stop();
    },
    freeze: () => freeze(server.pid),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
  };
}

/** The signal is only asked for by kill; every thread stops when it gets to it. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const isStopped = (thread: string) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
  while (!readdirSync(`/proc/${pid}/task`).every(isStopped)) await delay(1);
}

function configOf(options: RealNatsOptions): string {
  const { dataDir, port, user, nkey, tls, isWithoutJetStream } = options;
  return [
    `listen: "127.0.0.1:${port}"`,
    'server_name: "rackwright-test"',
    ...(isWithoutJetStream === true
      ? []
      : [`jetstream { store_dir: ${JSON.stringify(join(dataDir, 'jetstream'))}, max_mem: 64M, max_file: 256M }`]),
    ...(user === undefined
      ? []
      : [`authorization { user: ${JSON.stringify(user.name)}, password: ${JSON.stringify(user.password)} }`]),
    ...(nkey === undefined ? [] : [`authorization { users: [ { nkey: ${nkey} } ] }`]),
    ...(tls === undefined ? [] : [tlsOf(tls)]),
    '',
  ].join('\n');
}

function tlsOf({ cert, key, ca }: { readonly cert: string; readonly key: string; readonly ca?: string }): string {
  const client = ca === undefined ? '' : `, ca_file: ${JSON.stringify(ca)}, verify: true`;
  return `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}${client} }`;
}

async function waitUntilReady(server: StartedProcess, port: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    if (!server.isRunning()) throw new Error(`nats-server ended before it was ready:\n${server.tail()}`);
    if (await answers(port)) return;
    await delay(20);
  }
  await server.stop();
  throw new Error(`nats-server was not ready after 120 s:\n${server.tail()}`);
}

/** A NATS server speaks first, once it is ready for clients. */
async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    const [first] = await once(socket, 'data', { signal: AbortSignal.timeout(1000) });
    return String(first).startsWith('INFO');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
