import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Client } from 'pg';
import { freePortRange } from '../free-ports.ts';
import type { PostgresServerPlan } from './postgres-server.ts';

/** A PostgreSQL server of this test's own. */
export interface RealPostgres {
  /** Of a database that is empty at first, with user and password. */
  readonly url: string;
  readonly port: number;
  /** Makes one more empty database on the server and says its URL. */
  createDatabase(name: string): Promise<string>;
  /** Ends the server as a crash would, and starts it again on the same port and data. */
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
 * a data folder of its own. It ends with this process at the latest.
 */
export async function startPostgres(options: RealPostgresOptions = {}): Promise<RealPostgres> {
  const port = await freePortRange(1);
  const plan: PostgresServerPlan = {
    folder: mkdtempSync(join(tmpdir(), 'real-postgres-')),
    port,
    user: 'rackwright',
    password: randomBytes(16).toString('hex'),
    settings: { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings },
  };
  const urlOf = (name: string) => `postgres://${plan.user}:${plan.password}@127.0.0.1:${port}/${name}`;
  const server = new ServerProcess(plan);
  await server.untilReady();
  const createDatabase = async (name: string) => {
    await createOn(urlOf('postgres'), name);
    return urlOf(name);
  };
  return {
    url: await createDatabase('engine'),
    port,
    createDatabase,
    crashAndRestart: () => server.crashAndRestart(),
    stop: () => server.stop(),
  };
}

async function createOn(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

/** The process that runs the server, and what it says. */
class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #log: string[] = [];
  readonly #ended: Promise<void>;

  constructor(plan: PostgresServerPlan) {
    const program = new URL('./postgres-server.ts', import.meta.url).pathname;
    this.#child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.write(`${JSON.stringify(plan)}\n`);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()));
    createInterface(this.#child.stderr).on('line', (line) => {
      this.#log.push(line);
      if (this.#log.length > 50) this.#log.shift();
    });
  }

  async untilReady(): Promise<void> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (value === 'ready') return;
      if (done === true) throw new Error(`PostgreSQL did not start:\n${this.#log.join('\n')}`);
    }
  }

  async crashAndRestart(): Promise<void> {
    this.#child.stdin.write('crash\n');
    await this.untilReady();
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }
}
