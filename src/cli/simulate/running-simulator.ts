import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseFaults } from '../../../simulator/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { OutputForm } from '../output/output-form.ts';
import { type Column, renderShown, showList } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { type AdminAddress, readAdminAddress } from './simulator-folder.ts';

/** Shows, replaces, adds to or clears the faults of the simulator that runs with this data directory. */
export async function changeFaults(
  order: {
    readonly dataDir: string;
    readonly file: string | undefined;
    readonly isAdding: boolean;
    readonly isClearing: boolean;
    readonly output: OutputForm;
  },
  terminal: Terminal,
): Promise<void> {
  if (order.isClearing && (order.isAdding || order.file !== undefined)) {
    throw usageError('--clear goes without a file and without --add');
  }
  if (order.isAdding && order.file === undefined) throw usageError('--add needs a file with the rules to add');
  const admin = readAdminAddress(order.dataDir);
  const rules = order.file === undefined ? undefined : await readRules(order.file, terminal);
  const method = order.isClearing ? 'DELETE' : rules === undefined ? 'GET' : order.isAdding ? 'POST' : 'PUT';
  const answer = (await askAdmin(admin, { method, path: '/v1/faults', body: rules })) as { rules: object[] };
  const lines = answer.rules.map((rule) => `${JSON.stringify(rule)}\n`).join('');
  const text = (): string => (lines === '' ? 'no faults\n' : lines);
  terminal.out(renderShown({ value: { items: answer.rules }, text }, order.output));
}

/** The servers of the simulator that runs with this data directory. */
export async function listSimulated(dataDir: string): Promise<readonly Record<string, string>[]> {
  const answer = await askAdmin(readAdminAddress(dataDir), { method: 'GET', path: '/v1/bmcs' });
  return (answer as { bmcs: Record<string, string>[] }).bmcs;
}

/** Lists the servers. */
export async function showStatus(
  order: { readonly dataDir: string; readonly output: OutputForm },
  terminal: Terminal,
): Promise<void> {
  const bmcs = await listSimulated(order.dataDir);
  const titles = { name: 'NAME', url: 'BMC', personality: 'PERSONALITY', model: 'MODEL', power: 'POWER', runs: 'RUNS' };
  const columns = Object.entries(titles).map(([field, title]) => ({
    title,
    cell: (bmc: Record<string, string>) => bmc[field] ?? '',
  }));
  terminal.out(
    renderShown(
      showList(bmcs, columns, ({ name = '' }) => name),
      order.output,
    ),
  );
}

/** Prints a server's log. */
export async function showLog(
  order: OneServer & Printed & { readonly only: string },
  terminal: Terminal,
): Promise<void> {
  const lines = String(await askOf(order, 'log')).split(/(?<=\n)/);
  // Each line is a time, an event, and its details.
  const shown = lines.filter((line) => line !== '' && (line.split(' ')[1] ?? '').startsWith(order.only));
  const what = order.only === '' ? 'nothing' : `nothing that begins with "${order.only}"`;
  if (shown.length === 0) terminal.err(`${what} has happened to ${order.server} yet\n`);
  const items = shown.map((line) => {
    const [at = '', event = '', ...details] = line.trimEnd().split(' ');
    return { at, event, details: details.join(' ') };
  });
  terminal.out(renderShown({ value: { items }, text: () => shown.join('') }, order.output));
}

/** Lists the versions that can be had for a server, with the addresses of their images. */
export async function showFirmware(order: OneServer & Printed, terminal: Terminal): Promise<void> {
  const { url } = readAdminAddress(order.dataDir);
  const { firmware } = (await askOf(order, 'firmware')) as { firmware: readonly Offered[] };
  const offers = firmware.map(({ component, name, version, slots, image }) => {
    const installed = slots.filter((slot) => slot.version === version).length;
    return { component, name, version, installed, slots: slots.length, image: `${url}${image}` };
  });
  const columns: Column<(typeof offers)[number]>[] = [
    { title: 'COMPONENT', cell: ({ component }) => component },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'VERSION', cell: ({ version }) => version },
    { title: 'INSTALLED', cell: ({ installed, slots }) => `${installed} of ${slots}` },
    { title: 'IMAGE', cell: ({ image }) => image },
  ];
  terminal.out(renderShown(showList(offers, columns), order.output));
}

interface Offered {
  readonly component: string;
  readonly name: string;
  readonly version: string;
  readonly slots: readonly { readonly version: string }[];
  readonly image: string;
}

/** Prints how to log in to a server's BMC. */
export async function showLogin(order: OneServer & Printed, terminal: Terminal): Promise<void> {
  const login = (await askOf(order, 'login')) as Record<string, string>;
  const text = (): string => `${login.url} ${login.username} ${login.password}\n`;
  terminal.out(renderShown({ value: login, text }, order.output));
}

/** Presses a server's power button. */
export async function resetServer(order: OneServer & { readonly type: string }, terminal: Terminal): Promise<void> {
  const { power } = (await askOf(order, 'reset', { type: order.type })) as { power: string };
  terminal.out(`${order.server}: ${power}\n`);
}

interface Printed {
  readonly output: OutputForm;
}

interface OneServer {
  readonly dataDir: string;
  readonly server: string;
}

function askOf(
  { dataDir, server }: OneServer,
  what: 'log' | 'login' | 'firmware' | 'reset',
  body?: object,
): Promise<unknown> {
  const missing = `there is no server "${server}"; "rackwright simulate status" lists them`;
  const path = `/v1/bmcs/${encodeURIComponent(server)}/${what}`;
  const request = body === undefined ? { method: 'GET', path, missing } : { method: 'POST', path, missing, body };
  return askAdmin(readAdminAddress(dataDir), request);
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

async function askAdmin(
  admin: AdminAddress,
  request: { readonly method: string; readonly path: string; readonly body?: unknown; readonly missing?: string },
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
  if (answer.status === 404 && request.missing !== undefined) throw new CliError('failed', request.missing);
  throw new CliError('failed', (body as { error?: string }).error ?? `the simulator answered ${answer.status}`);
}
