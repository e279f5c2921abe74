import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '../../test/real/free-ports.ts';
import { startNats } from '../../test/real/nats/real-nats.ts';
import { startPostgres } from '../../test/real/postgres/real-postgres.ts';
import { median, printTable, rounded } from '../figures.ts';
import { type FlashMeasure, type GrowthMeasure, growthOf, judgeBars, printBars } from './bars.ts';
import { type RunFigures, type RunOrder, runInstalls } from './run.ts';
import { chooseFaulty, deviceTimes, type FaultyServer, idealMs, needlessFlashes } from './scenario.ts';

/** How to measure. */
export interface InstallBenchOptions {
  readonly servers: number;
  /** Installs at once. */
  readonly parallel: number;
  /** What an update takes of a BMC's time, in seconds. */
  readonly flash: number;
  /** Share of the BMCs that misbehave. */
  readonly faulty: number;
  readonly store: 'sqlite' | 'postgres';
  readonly workers: number;
  /** Sizes of the runs without flash time, separated by commas. */
  readonly sizes: string;
  /** Servers of the comparison of four workers with one. */
  readonly compared: number;
  readonly imageKib: number;
  readonly only?: 'flash' | 'growth' | 'workers';
}

/** Measures installs on a simulated fleet; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchInstall(options: InstallBenchOptions): Promise<object> {
  if (options.workers > 1 && options.store === 'sqlite') {
    throw new Error('--workers: a file is for one process; several need --store postgres');
  }
  const isAsked = (part: InstallBenchOptions['only']): boolean => options.only === undefined || options.only === part;
  const flash = isAsked('flash') ? await measureFlash(options) : undefined;
  const sizes = isAsked('growth') ? await measureSizes(options) : [];
  const fourToOne = isAsked('workers') ? await compareWorkers(options) : undefined;
  const bars = judgeBars({ flash, sizes });
  if (bars.length > 0) console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'install', cpus: cpus().length, options, flash, sizes, growth: growthOf(sizes), fourToOne, bars };
}

interface FlashFigures extends FlashMeasure {
  readonly seconds: number;
  readonly idealSeconds: number;
  /** Without what faulty ones take longer: ceil(N/P) x T. */
  readonly wavesSeconds: number;
  readonly workerCpuMs: number;
  readonly simulatorCpuMs: number;
  readonly requests: number;
  readonly statements: number;
  readonly workerMiB: number;
  readonly simulatorMiB: number;
  readonly failures: readonly string[];
  readonly notStruck: number;
  readonly over: readonly OverFigures[];
}

/** By how much installs of one kind of server took longer than their BMCs, in seconds. */
interface OverFigures {
  readonly what: string;
  readonly servers: number;
  readonly median: number;
  readonly most: number;
}

function overOf(took: readonly number[], ideal: readonly number[], faulty: readonly FaultyServer[]): OverFigures[] {
  const whatOf = new Map(faulty.map(({ server, what }) => [server, what.name]));
  const over = took.map((seconds, server) => ({ server, seconds: seconds - (ideal[server] ?? 0) / 1000 }));
  const groups = Map.groupBy(over, ({ server }) => whatOf.get(server) ?? 'nothing wrong');
  return [...groups].map(([what, all]) => {
    const seconds = all.map((each) => each.seconds);
    return { what, servers: all.length, median: median(seconds), most: Math.max(...seconds) };
  });
}

async function measureFlash(options: InstallBenchOptions): Promise<FlashFigures> {
  const { servers, parallel, workers } = options;
  const flashMs = options.flash * 1000;
  const faulty = chooseFaulty(servers, options.faulty);
  const figures = await onStore(options, (services) =>
    runInstalls({
      servers,
      parallel,
      flashMs,
      faulty,
      workers,
      services,
      imageBytes: options.imageKib * 1024,
      warmUp: 0,
    }),
  );
  const { end, simulator } = figures;
  const deviceMs = deviceTimes(servers, { flashMs, faulty });
  const idealSeconds = idealMs(deviceMs, parallel) / 1000;
  const each = costOf(figures, servers);
  const measure: FlashFigures = {
    servers,
    succeeded: Math.min(end.succeeded, simulator.updated),
    ratio: end.seconds / idealSeconds,
    needlessFlashes: needlessFlashes(simulator.flashes, faulty),
    seconds: end.seconds,
    idealSeconds,
    wavesSeconds: (Math.ceil(servers / parallel) * flashMs) / 1000,
    ...each,
    failures: [...new Set(end.failures)].slice(0, 10),
    notStruck: faulty.filter(({ server }) => simulator.struck[server] === 0).length,
    over: overOf(figures.took, deviceMs, faulty),
  };
  console.log(`${printFlash(measure, options)}\n`);
  return measure;
}

/** What one condition took on average. */
function costOf({ cpuMs, simulator, requests, statements, workers }: RunFigures, conditions: number) {
  return {
    workerCpuMs: cpuMs / conditions,
    simulatorCpuMs: simulator.cpuMs / conditions,
    requests: requests / conditions,
    statements: statements / conditions,
    workerMiB: workers.reduce((sum, { maxRssMiB }) => sum + maxRssMiB, 0),
    simulatorMiB: simulator.rssMiB,
  };
}

type SizeFigures = GrowthMeasure & ReturnType<typeof costOf> & { readonly conditionsPerSecond: number };

/** Without flash time everything waits for the processors only: more at once would only wait longer. */
const mostAtOnce = 100;

async function measureSizes(options: InstallBenchOptions): Promise<SizeFigures[]> {
  const sizes: SizeFigures[] = [];
  for (const servers of options.sizes.split(',').map(Number)) {
    const figures = await onStore(options, (services) => runInstalls(withoutFlash(options, { servers, services })));
    sizes.push({
      servers,
      succeeded: figures.end.succeeded,
      conditionsPerSecond: servers / figures.end.seconds,
      kibPerCondition: (figures.grownMiB * 1024) / servers,
      ...costOf(figures, servers),
    });
  }
  console.log(`${printSizes(sizes)}\n`);
  return sizes;
}

function withoutFlash(
  options: InstallBenchOptions,
  more: { readonly servers: number; readonly services: RunOrder['services']; readonly workers?: number },
): RunOrder {
  const parallel = Math.min(options.parallel, mostAtOnce);
  const shared = { parallel, flashMs: 0, faulty: [], imageBytes: options.imageKib * 1024, warmUp: 50 };
  return { ...shared, workers: options.workers, ...more };
}

/** Four processes against one on PostgreSQL and NATS, everything else alike. */
async function compareWorkers(options: InstallBenchOptions): Promise<object> {
  const rates: Record<string, number> = {};
  for (const workers of [1, 4]) {
    const figures = await onStore({ store: 'postgres' }, (services) =>
      runInstalls(withoutFlash(options, { servers: options.compared, services, workers })),
    );
    rates[workers] = figures.end.succeeded / figures.end.seconds;
  }
  const ratio = (rates[4] ?? Number.NaN) / (rates[1] ?? Number.NaN);
  const rows = [
    [`${options.compared} installs without flash time, PostgreSQL and NATS`, 'conditions/s'],
    ['one worker process', rounded(rates[1] ?? Number.NaN)],
    ['four worker processes', rounded(rates[4] ?? Number.NaN)],
    ['ratio', rounded(ratio)],
  ];
  console.log(`${printTable(rows)}\n`);
  return { servers: options.compared, one: rates[1], four: rates[4], ratio };
}

/** Runs on a file, or with a PostgreSQL and a NATS of its own. */
async function onStore<T>(
  { store }: Pick<InstallBenchOptions, 'store'>,
  act: (services: RunOrder['services']) => Promise<T>,
): Promise<T> {
  if (store === 'sqlite') return act(undefined);
  const postgres = await startPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-nats-'));
  try {
    const nats = await startNats({ dataDir, port: await freePortRange(1) });
    try {
      return await act({ databaseUrl: postgres.url, natsUrl: nats.url });
    } finally {
      await nats.stop();
    }
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function printFlash(measure: FlashFigures, options: InstallBenchOptions): string {
  const { servers, parallel, flash, faulty, store, workers } = options;
  const rows: (readonly [string, string | number])[] = [
    [
      `${servers} servers, ${parallel} at once, ${flash} s of flash, ${faulty * 100} % faulty, ${store}, workers: ${workers}`,
      '',
    ],
    ['seconds to the end of the last install', rounded(measure.seconds)],
    ['ideal: every BMC busy for its own time, in the order asked for', rounded(measure.idealSeconds)],
    ['  of these without what faulty BMCs take longer: ceil(N/P) x T', rounded(measure.wavesSeconds)],
    ['ratio to the ideal', rounded(measure.ratio)],
    ['CPU ms a server: worker', rounded(measure.workerCpuMs)],
    ['CPU ms a server: simulator', rounded(measure.simulatorCpuMs)],
    ['requests to a BMC', rounded(measure.requests)],
    ['SQL statements a server', rounded(measure.statements)],
    ['MiB: worker', rounded(measure.workerMiB)],
    ['MiB: simulator', rounded(measure.simulatorMiB)],
    ['installed, by the worker and by the simulator', measure.succeeded],
    ['faulty BMCs that did nothing wrong', measure.notStruck],
  ];
  const why = measure.failures.map((reason) => `\n  failed: ${reason}`).join('');
  return `${printTable(rows)}${why}\n\n${printOver(measure.over)}`;
}

function printOver(over: readonly OverFigures[]): string {
  return printTable([
    ['seconds that an install took longer than its BMC, which', 'servers', 'median', 'most'],
    ...over.map(({ what, servers, median: middle, most }) => [what, servers, rounded(middle), rounded(most)]),
  ]);
}

function printSizes(sizes: readonly SizeFigures[]): string {
  return printTable([
    [
      'no flash time',
      'conditions/s',
      'worker CPU ms',
      'simulator CPU ms',
      'SQL statements',
      'requests',
      'worker MiB',
      'KiB/condition',
    ],
    ...sizes.map((each) => [
      `${each.servers} installs`,
      rounded(each.conditionsPerSecond),
      rounded(each.workerCpuMs),
      rounded(each.simulatorCpuMs),
      rounded(each.statements),
      rounded(each.requests),
      rounded(each.workerMiB),
      rounded(each.kibPerCondition),
    ]),
  ]);
}
