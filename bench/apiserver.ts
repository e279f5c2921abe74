import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LivezWatch, watchLivez } from '../test/hostile/watch-livez.ts';
import { whyNoRealKube } from '../test/real/kube/binaries.ts';
import { type GrowthMeasure, judgeBars, printBars } from './apiserver-bars.ts';
import { measureGrowth } from './apiserver-growth.ts';
import { measureMemory } from './apiserver-memory.ts';
import { prepare } from './bench-resource.ts';
import { median, percentile, printTable, rounded } from './figures.ts';
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
  /** Objects in the store when its memory is taken. */
  readonly objects: number;
  /** Objects in the store when the cost of a write is taken, separated by commas. */
  readonly sizes: string;
  readonly only?: 'embedded' | 'real';
  readonly part?: 'speed' | 'memory' | 'growth';
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
  { key: 'livezP50Ms', label: '/livez meanwhile p50 ms', moreIsBetter: false },
  { key: 'livezP99Ms', label: '/livez meanwhile p99 ms', moreIsBetter: false },
  { key: 'loadedMiB', label: 'resident memory after these rounds MiB', moreIsBetter: false },
  { key: 'idleMiB', label: 'resident memory of an empty server MiB', moreIsBetter: false },
  { key: 'heldMiB', label: 'resident memory with all objects MiB', moreIsBetter: false },
  { key: 'readyMs', label: 'time to ready ms', moreIsBetter: false },
];

/** Measures both servers in one run, prints tables and bars, and returns the figures; a bar that fails is an exit code of 1. */
export async function benchApiserver(options: ApiserverBenchOptions): Promise<object> {
  const starters = startersOf(options);
  const isAsked = (part: ApiserverBenchOptions['part']): boolean => options.part === undefined || options.part === part;
  if (options.only !== 'real') await withServer(startEmbedded, async () => undefined);
  const samples = new Samples();
  if (isAsked('speed')) await withServers(starters, (servers) => measureRounds(servers, options, samples));
  if (isAsked('memory')) {
    for (const start of starters) {
      await withServer(start, async (server) => samples.add(server, await measureMemory(server, options)));
    }
  }
  const sizes = isAsked('growth') && options.only !== 'real' ? await growth(options) : [];
  const figures = samples.medians();
  const timesBetter = ratios(figures);
  const bars = judgeBars({ timesBetter, sizes, livezP99Ms: figures.embedded?.livezP99Ms });
  console.log([printFigures(figures, timesBetter), printSizes(sizes), printBars(bars)].join('\n\n'));
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'apiserver', cpus: cpus().length, options, ...figures, timesBetter, sizes, bars };
}

type Start = (dataDir: string) => Promise<MeasuredServer>;

function startersOf({ only }: ApiserverBenchOptions): Start[] {
  if (only === 'embedded') return [startEmbedded];
  const whyNot = whyNoRealKube();
  if (whyNot !== undefined) console.log(`only the embedded server is measured: ${whyNot}`);
  const real = whyNot === undefined ? [startReal] : [];
  return only === 'real' ? real : [startEmbedded, ...real];
}

function growth({ sizes, clients }: ApiserverBenchOptions): Promise<GrowthMeasure[]> {
  const counts = sizes.split(',').map(Number);
  return withServer(startEmbedded, (server) => measureGrowth(server, { sizes: counts, clients }));
}

/** Runs a new server for as long as the work takes. */
async function withServer<T>(start: Start, work: (server: MeasuredServer) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-apiserver-'));
  try {
    const server = await start(join(folder, 'data'));
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs several new servers beside each other. */
async function withServers<T>(
  [start, ...others]: readonly Start[],
  work: (servers: readonly MeasuredServer[]) => Promise<T>,
): Promise<T> {
  if (start === undefined) return work([]);
  return withServer(start, (server) => withServers(others, (rest) => work([server, ...rest])));
}

/** What was measured on each server, by name of the figure. */
class Samples {
  readonly #byServer = new Map<string, Map<string, number[]>>();

  add({ name }: MeasuredServer, figures: Figures): void {
    const mine = this.#byServer.get(name) ?? new Map<string, number[]>();
    this.#byServer.set(name, mine);
    for (const [key, value] of Object.entries(figures)) mine.set(key, [...(mine.get(key) ?? []), value]);
  }

  medians(): Record<string, Figures> {
    const middle = (mine: Map<string, number[]>): Figures =>
      Object.fromEntries([...mine].map(([key, values]) => [key, rounded(median(values))]));
    return Object.fromEntries([...this.#byServer].map(([name, mine]) => [name, middle(mine)]));
  }
}

async function measureRounds(
  servers: readonly MeasuredServer[],
  options: ApiserverBenchOptions,
  samples: Samples,
): Promise<void> {
  for (const server of servers) {
    samples.add(server, { readyMs: server.readyMs });
    const connection = await HttpConnection.open(server.endpoint);
    await prepare(connection, ['bench', 'listed', 'watched']);
    connection.close();
    await fillListed(server.endpoint, options.clients);
  }
  const watched = new Map(servers.map((server) => [server, new WatchedLivez(server)]));
  for (let round = 0; round < options.rounds; round++) {
    // Each server goes first in turn, so that neither always gets the quieter machine.
    const order = round % 2 === 0 ? servers : [...servers].reverse();
    for (const measure of measurements) {
      for (const server of order) {
        const load: Load = { ...options, endpoint: server.endpoint, cpuMs: () => server.cpuMs(), round };
        await watched.get(server)?.during(async () => samples.add(server, await measure(load)));
      }
    }
    console.log(`round ${round + 1} of ${options.rounds} done`);
  }
  for (const [server, livez] of watched) samples.add(server, await livez.end());
  for (const server of servers) samples.add(server, { loadedMiB: server.residentMiB() });
}

/** What /livez takes while a server is measured. */
class WatchedLivez {
  readonly #livez: LivezWatch;
  readonly #times: number[] = [];

  constructor({ endpoint }: MeasuredServer) {
    this.#livez = watchLivez(endpoint.port);
  }

  async during(work: () => Promise<void>): Promise<void> {
    await this.#livez.take();
    await work();
    this.#times.push(...(await this.#livez.take()).times);
  }

  async end(): Promise<Figures> {
    await this.#livez.stop();
    return { livezP50Ms: percentile(this.#times, 0.5), livezP99Ms: percentile(this.#times, 0.99) };
  }
}

/** How many times better the embedded server is; below 1 it is worse. */
function ratios(figures: Record<string, Figures>): Figures {
  const ratio: Figures = {};
  for (const { key, moreIsBetter } of rows) {
    const embedded = figures.embedded?.[key];
    const real = figures.real?.[key];
    if (embedded !== undefined && real !== undefined) ratio[key] = moreIsBetter ? embedded / real : real / embedded;
  }
  return ratio;
}

function printFigures(figures: Record<string, Figures>, timesBetter: Figures): string {
  const heading = ['', 'embedded', 'kube-apiserver + etcd', 'times better'];
  const cell = (value: number | undefined) => (value === undefined ? '-' : String(rounded(value)));
  const isMeasured = (key: string): boolean => Object.values(figures).some((each) => each[key] !== undefined);
  return printTable([
    heading,
    ...rows
      .filter(({ key }) => isMeasured(key))
      .map(({ key, label }) => [
        label,
        cell(figures.embedded?.[key]),
        cell(figures.real?.[key]),
        cell(timesBetter[key]),
      ]),
  ]);
}

function printSizes(sizes: readonly GrowthMeasure[]): string {
  return printTable([
    ['objects', 'CPU ms per create', 'ms per create', 'CPU ms per status patch', 'ms per status patch'],
    ...sizes.map((each) => [
      each.objects,
      rounded(each.createCpuMs),
      rounded(each.createMs),
      rounded(each.patchCpuMs),
      rounded(each.patchMs),
    ]),
  ]);
}
