import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoRealKube } from '../test/real/kube/binaries.ts';
import { prepare } from './bench-resource.ts';
import { median, printTable, rounded } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import { type MeasuredServer, startEmbedded, startReal } from './measured-server.ts';
import {
  type Figures,
  fillListed,
  type Load,
  measureCreates,
  measureGets,
  measureLists,
  measureStatusPatches,
  measureWatches,
} from './measurements.ts';

/** How to measure. */
export interface ApiserverBenchOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly clients: number;
  readonly watchers: number;
  readonly only?: string;
}

const measurements = [measureCreates, measureStatusPatches, measureGets, measureLists, measureWatches];

/** What each figure is called in the table, and whether more is better. */
const rows: readonly { key: string; label: string; moreIsBetter: boolean }[] = [
  { key: 'createsPerSecond', label: 'creates/s', moreIsBetter: true },
  { key: 'createsP99Ms', label: 'create p99 ms', moreIsBetter: false },
  { key: 'createsCpuMsEach', label: 'server CPU ms per create', moreIsBetter: false },
  { key: 'statusPatchesPerSecond', label: 'status patches/s', moreIsBetter: true },
  { key: 'statusPatchesP99Ms', label: 'status patch p99 ms', moreIsBetter: false },
  { key: 'statusPatchesCpuMsEach', label: 'server CPU ms per status patch', moreIsBetter: false },
  { key: 'getsPerSecond', label: 'gets/s', moreIsBetter: true },
  { key: 'getsCpuMsEach', label: 'server CPU ms per get', moreIsBetter: false },
  { key: 'listP50Ms', label: 'list of 1,000 p50 ms', moreIsBetter: false },
  { key: 'watchP50Ms', label: 'watch fan-out p50 ms', moreIsBetter: false },
  { key: 'watchP99Ms', label: 'watch fan-out p99 ms', moreIsBetter: false },
  { key: 'idleMiB', label: 'resident memory at start MiB', moreIsBetter: false },
  { key: 'loadedMiB', label: 'resident memory after load MiB', moreIsBetter: false },
  { key: 'readyMs', label: 'time to ready ms', moreIsBetter: false },
];

/** Measures both servers in alternating rounds, prints a table, and returns the figures. */
export async function benchApiserver(options: ApiserverBenchOptions): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-apiserver-'));
  const servers = await startServers(folder, options);
  try {
    const figures = await measureAll(servers, options);
    console.log(printFigures(figures));
    return { bench: 'apiserver', cpus: cpus().length, ...options, ...figures, ratio: ratios(figures) };
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServers(folder: string, options: ApiserverBenchOptions): Promise<MeasuredServer[]> {
  const servers: MeasuredServer[] = [];
  if (options.only !== 'real') servers.push(await startEmbedded(join(folder, 'embedded')));
  if (options.only === 'embedded') return servers;
  const whyNot = whyNoRealKube();
  if (whyNot === undefined) servers.push(await startReal(join(folder, 'real')));
  else console.log(`only the embedded server is measured: ${whyNot}`);
  return servers;
}

async function measureAll(
  servers: readonly MeasuredServer[],
  options: ApiserverBenchOptions,
): Promise<Record<string, Figures>> {
  const samples = new Map(servers.map(({ name }) => [name, new Map<string, number[]>()]));
  const add = (server: MeasuredServer, figures: Figures) => {
    const mine = samples.get(server.name);
    for (const [key, value] of Object.entries(figures)) mine?.set(key, [...(mine.get(key) ?? []), value]);
  };
  for (const server of servers) {
    add(server, { readyMs: server.readyMs, idleMiB: server.residentMiB() });
    const connection = await HttpConnection.open(server.endpoint);
    await prepare(connection, ['bench', 'listed', 'watched']);
    connection.close();
    await fillListed(server.endpoint, options.clients);
  }
  for (let round = 0; round < options.rounds; round++) {
    // Each server goes first in turn, so that neither always gets the quieter machine.
    const order = round % 2 === 0 ? servers : [...servers].reverse();
    for (const measure of measurements) {
      for (const server of order)
        add(
          server,
          await measure({ ...options, endpoint: server.endpoint, cpuMs: () => server.cpuMs(), round } satisfies Load),
        );
    }
    console.log(`round ${round + 1} of ${options.rounds} done`);
  }
  for (const server of servers) add(server, { loadedMiB: server.residentMiB() });
  return Object.fromEntries(
    [...samples].map(([name, mine]) => [
      name,
      Object.fromEntries([...mine].map(([key, values]) => [key, rounded(median(values))])),
    ]),
  );
}

/** How many times better the embedded server is; below 1 it is worse. */
function ratios(figures: Record<string, Figures>): Figures {
  const ratio: Figures = {};
  for (const { key, moreIsBetter } of rows) {
    const embedded = figures.embedded?.[key];
    const real = figures.real?.[key];
    if (embedded !== undefined && real !== undefined)
      ratio[key] = rounded(moreIsBetter ? embedded / real : real / embedded);
  }
  return ratio;
}

function printFigures(figures: Record<string, Figures>): string {
  const ratio = ratios(figures);
  const heading = ['', 'embedded', 'kube-apiserver + etcd', 'times better'];
  const cell = (value: number | undefined) => (value === undefined ? '-' : String(value));
  return printTable([
    heading,
    ...rows.map(({ key, label }) => [
      label,
      cell(figures.embedded?.[key]),
      cell(figures.real?.[key]),
      cell(ratio[key]),
    ]),
  ]);
}
