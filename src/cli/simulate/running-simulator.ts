import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseFaults } from '../../../simulator/index.ts';
import { CliError, usageError } from '../errors.ts';
import { formatGrid } from '../objects/table.ts';
import type { Terminal } from '../terminal.ts';

/** Where the admin API of a running simulator is, and the token for it. */
export interface AdminAddress {
  readonly url: string;
  readonly token: string;
}

/** Leaves the address where other commands find it; only the owner can read it. */
export function rememberAdmin(dataDir: string, address: AdminAddress): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(dataDir), `${JSON.stringify(address)}\n`, { mode: 0o600 });
}

/** Takes the address away when the simulator stops. */
export function forgetAdmin(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** Shows, replaces, adds to or clears the faults of the simulator that runs with this data directory. */
export async function changeFaults(
  order: {
    readonly dataDir: string;
    readonly file: string | undefined;
    readonly isAdding: boolean;
    readonly isClearing: boolean;
  },
  terminal: Terminal,
): Promise<void> {
  if (order.isClearing && (order.isAdding || order.file !== undefined)) {
    throw usageError('--clear goes without a file and without --add');
  }
  if (order.isAdding && order.file === undefined) throw usageError('--add needs a file with the rules to add');
  const admin = readAdmin(order.dataDir);
  const rules = order.file === undefined ? undefined : await readRules(order.file, terminal);
  const method = order.isClearing ? 'DELETE' : rules === undefined ? 'GET' : order.isAdding ? 'POST' : 'PUT';
  const answer = (await askAdmin(admin, { method, path: '/v1/faults', body: rules })) as { rules: object[] };
  if (answer.rules.length === 0) terminal.out('no faults\n');
  for (const rule of answer.rules) terminal.out(`${JSON.stringify(rule)}\n`);
}

/** Lists the servers. */
export async function showStatus(dataDir: string, terminal: Terminal): Promise<void> {
  const answer = await askAdmin(readAdmin(dataDir), { method: 'GET', path: '/v1/bmcs' });
  const { bmcs } = answer as { bmcs: Record<string, string>[] };
  const rows = bmcs.map(({ name, url, personality, model, power, runs }) =>
    [name, url, personality, model, power, runs].map((cell) => cell ?? ''),
  );
  const header = ['NAME', 'BMC', 'PERSONALITY', 'MODEL', 'POWER', 'RUNS'];
  terminal.out(formatGrid({ header, rows }, { hasHeader: true }));
}

/** Prints a server's log. */
export async function showLog(
  order: { readonly dataDir: string; readonly server: string },
  terminal: Terminal,
): Promise<void> {
  const path = `/v1/bmcs/${encodeURIComponent(order.server)}/log`;
  terminal.out(`${String(await askAdmin(readAdmin(order.dataDir), { method: 'GET', path })).trimEnd()}\n`);
}

/** Prints how to log in to a server's BMC. */
export async function showLogin(
  order: { readonly dataDir: string; readonly server: string },
  terminal: Terminal,
): Promise<void> {
  const path = `/v1/bmcs/${encodeURIComponent(order.server)}/login`;
  const login = (await askAdmin(readAdmin(order.dataDir), { method: 'GET', path })) as Record<string, string>;
  terminal.out(`${login.url} ${login.username} ${login.password}\n`);
}

/** The rules of a file; every mistake in it is named. */
export async function readRules(file: string, terminal: Terminal): Promise<ReturnType<typeof parseFaults>> {
  const text = file === '-' ? await terminal.readInput() : await readText(resolve(terminal.cwd, file), file);
  try {
    return parseFaults(text);
  } catch (error) {
    throw usageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`${shown} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'simulator.json');
}

function readAdmin(dataDir: string): AdminAddress {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as AdminAddress;
  } catch {
    throw new CliError(
      'unreachable',
      `no simulator runs with the data directory ${dataDir}; start one with "rackwright simulate" or name another with --data-dir`,
    );
  }
}

async function askAdmin(
  admin: AdminAddress,
  request: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<unknown> {
  const answer = await fetch(`${admin.url}${request.path}`, {
    method: request.method,
    headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  }).catch((error: unknown) => {
    throw new CliError('unreachable', `the simulator at ${admin.url} does not answer; is it still running?`, {
      cause: error,
    });
  });
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? await answer.json() : await answer.text();
  if (answer.ok) return body;
  throw new CliError('failed', (body as { error?: string }).error ?? `the simulator answered ${answer.status}`);
}
