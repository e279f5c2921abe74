import { cpus } from 'node:os';
import { median, printTable, rounded } from '../figures.ts';
import { growthOf, judgeBars, printBars, type SizeMeasure } from './bars.ts';
import { type FleetRunFigures, type FleetRunOrder, type RoundFigures, runFleet } from './run.ts';

/** How to measure. */
export interface FleetBenchOptions {
  /** Servers of each run, separated by commas. */
  readonly sizes: string;
  /** Servers that are there at first; what a server costs is counted for those beyond them. */
  readonly warmUp: number;
  /** How often the groups of each size are changed; the middle one counts. */
  readonly rounds: number;
  /** What a job takes from its acceptance to its report, in milliseconds. */
  readonly jobMs: number;
}

interface SizeFigures extends SizeMeasure {
  readonly seconds: number;
  /** The same with the few servers that were there at first. */
  readonly warmSeconds: number;
  readonly firstSeconds: number;
  readonly peakMiB: number;
  readonly settledMiB: number;
  readonly apiserverMiB: number;
  /** For each server, by verb, resource and code. */
  readonly requestsBy: Readonly<Record<string, number>>;
}

/** Measures changes of groups on growing fleets; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchFleet(options: FleetBenchOptions): Promise<object> {
  const { rounds, jobMs, warmUp } = options;
  const sizes: SizeFigures[] = [];
  for (const servers of options.sizes.split(',').map(Number)) {
    if (!(servers > warmUp))
      throw new RangeError(`--sizes: a fleet has more servers than --warm-up, ${warmUp}, not ${servers}`);
    sizes.push(figuresOf({ servers, warmUp }, await runFleet({ servers, warmUp, rounds, jobMs })));
  }
  console.log(`${printSizes(sizes)}\n\n${printRequests(sizes)}`);
  const bars = judgeBars(sizes);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'fleet', cpus: cpus().length, options, sizes, growth: growthOf(sizes), bars };
}

function figuresOf({ servers, warmUp }: Pick<FleetRunOrder, 'servers' | 'warmUp'>, run: FleetRunFigures): SizeFigures {
  const middle = (value: (round: RoundFigures) => number): number => median(run.rounds.map(value));
  const peakMiB = Math.max(...run.rounds.map(({ controllers }) => controllers.peakMiB));
  const settledMiB = middle(({ controllers }) => controllers.settledMiB);
  const more = servers - warmUp;
  const marginal = (value: (round: RoundFigures) => number): number => (middle(value) - value(run.warm)) / more;
  return {
    servers,
    upToDate: run.upToDate,
    seconds: middle(({ seconds }) => seconds),
    warmSeconds: run.warm.seconds,
    firstSeconds: run.firstSeconds,
    elapsedMs: marginal(({ seconds }) => seconds * 1000),
    controllersCpuMs: marginal(({ controllers }) => controllers.cpuMs),
    apiserverCpuMs: marginal(({ apiserverCpuMs }) => apiserverCpuMs),
    requests: middle((round) => ours(round).reduce((sum, { count }) => sum + count, 0)) / servers,
    requestsBy: requestsBy(run, servers),
    peakMiB,
    settledMiB,
    peakKiB: ((peakMiB - run.idle.residentMiB) * 1024) / more,
    settledKiB: ((settledMiB - run.idle.settledMiB) * 1024) / more,
    apiserverMiB: run.apiserverMiB,
  };
}

/** Without the changes of groups that the bench itself makes. */
function ours({ requests }: RoundFigures): RoundFigures['requests'] {
  return requests.filter(({ resource }) => resource !== 'serverfirmwaregroups');
}

function requestsBy(run: FleetRunFigures, servers: number): Record<string, number> {
  const all = run.rounds.flatMap(ours);
  const keys = new Set(all.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`));
  return Object.fromEntries(
    [...keys].map((key) => {
      const counts = all.filter(({ verb, resource, code }) => `${verb} ${resource} ${code}` === key);
      return [key, counts.reduce((sum, { count }) => sum + count, 0) / run.rounds.length / servers];
    }),
  );
}

function printSizes(sizes: readonly SizeFigures[]): string {
  const row = (what: string, value: (size: SizeFigures) => number) => [
    what,
    ...sizes.map((size) => rounded(value(size))),
  ];
  return printTable([
    ['a change of all groups', ...sizes.map(({ servers }) => `${servers} servers`)],
    row('seconds until every status and count is right', ({ seconds }) => seconds),
    row('  with the first servers only', ({ warmSeconds }) => warmSeconds),
    row('ms for each further server', ({ elapsedMs }) => elapsedMs),
    row('CPU ms for each further server: controllers', ({ controllersCpuMs }) => controllersCpuMs),
    row('CPU ms for each further server: API server', ({ apiserverCpuMs }) => apiserverCpuMs),
    row('requests a server', ({ requests }) => requests),
    row('MiB: controllers, most', ({ peakMiB }) => peakMiB),
    row('  KiB for each further server', ({ peakKiB }) => peakKiB),
    row('MiB: controllers, heap that stays', ({ settledMiB }) => settledMiB),
    row('  KiB for each further server', ({ settledKiB }) => settledKiB),
    row('MiB: API server', ({ apiserverMiB }) => apiserverMiB),
    row('seconds before, from the first further server to all of them as wanted', ({ firstSeconds }) => firstSeconds),
  ]);
}

function printRequests(sizes: readonly SizeFigures[]): string {
  const keys = [...new Set(sizes.flatMap(({ requestsBy: by }) => Object.keys(by)))].toSorted();
  return printTable([
    ['requests a server', ...sizes.map(({ servers }) => `${servers} servers`)],
    ...keys.map((key) => [key, ...sizes.map(({ requestsBy: by }) => rounded(by[key] ?? 0))]),
  ]);
}
