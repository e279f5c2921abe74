import { cpus } from 'node:os';
import { printTable, rounded } from '../figures.ts';
import type { RequestCount } from '../fleet/request-counts.ts';
import { requestsAHost } from '../hosts/requests.ts';
import { type DiscoveryMeasure, judgeBars, printBars } from './bars.ts';
import { type DiscoveryRunFigures, runDiscovery } from './run.ts';

/** How to measure. */
export interface DiscoveryBenchOptions {
  /** Machines of each run, separated by commas. */
  readonly sizes: string;
  /** In which all machines are switched on. */
  readonly seconds: number;
  /** How often each size is measured; the middle one, by processor time, counts. */
  readonly rounds: number;
  /** Machines that become hosts before each measurement. */
  readonly warmUp: number;
}

interface SizeFigures extends DiscoveryMeasure {
  readonly peakMiB: number;
  readonly requestsBy: Readonly<Record<string, number>>;
}

/** Measures how machines that are switched on become hosts; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchDiscovery(options: DiscoveryBenchOptions): Promise<object> {
  const measures: SizeFigures[] = [];
  for (const hosts of options.sizes.split(',').map(Number)) measures.push(await measureSize(hosts, options));
  console.log(`${printSizes(measures)}\n\n${printRequests(measures)}`);
  const bars = judgeBars(measures);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'discovery', cpus: cpus().length, options, measures, bars };
}

async function measureSize(hosts: number, { seconds, rounds, warmUp }: DiscoveryBenchOptions): Promise<SizeFigures> {
  const runs: DiscoveryRunFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    runs.push(await runDiscovery({ hosts, powerOnSeconds: seconds, warmUp }));
  }
  // A run in which something went wrong always counts.
  const bad = runs.find(({ right, wrong }) => right !== hosts || wrong > 0);
  const middle = bad ?? runs.toSorted((left, right) => left.cpuMs - right.cpuMs)[Math.floor(runs.length / 2)];
  if (middle === undefined) throw new Error('there was no run');
  const { requests } = middle;
  return {
    hosts,
    seconds: middle.seconds,
    right: middle.right,
    wrong: middle.wrong,
    cpuMs: middle.cpuMs / hosts,
    apiserverCpuMs: middle.apiserverCpuMs / hosts,
    requests: sumOf(requests) / hosts,
    discoveryRequests: sumOf(requests.filter(isOfDiscovery)) / hosts,
    peakMiB: middle.peakMiB,
    requestsBy: requestsAHost(requests, hosts),
  };
}

function sumOf(requests: readonly RequestCount[]): number {
  return requests.reduce((sum, { count }) => sum + count, 0);
}

/** Hosts are created by discovery alone. */
function isOfDiscovery({ verb, resource }: RequestCount): boolean {
  if (resource === 'baremetalhosts') return verb === 'CREATE' || verb === 'POST';
  return resource === 'leases' || resource.startsWith('baremetalhostdiscoveries');
}

function printSizes(measures: readonly SizeFigures[]): string {
  const row = (what: string, value: (size: SizeFigures) => number) => [
    what,
    ...measures.map((size) => rounded(value(size))),
  ];
  return printTable([
    ['machines switched on', ...measures.map(({ hosts }) => hosts)],
    row('seconds until all are available', ({ seconds }) => seconds),
    row('hosts that are right', ({ right }) => right),
    row('hosts that should not be there', ({ wrong }) => wrong),
    row('requests a host', ({ requests }) => requests),
    row('  of discovery', ({ discoveryRequests }) => discoveryRequests),
    row('CPU ms a host: endpoint and controllers', ({ cpuMs }) => cpuMs),
    row('CPU ms a host: API server', ({ apiserverCpuMs }) => apiserverCpuMs),
    row('MiB: endpoint and controllers, most', ({ peakMiB }) => peakMiB),
  ]);
}

function printRequests(measures: readonly SizeFigures[]): string {
  const keys = [...new Set(measures.flatMap(({ requestsBy }) => Object.keys(requestsBy)))].toSorted();
  return printTable([
    ['requests a host', ...measures.map(({ hosts }) => hosts)],
    ...keys.map((key) => [key, ...measures.map(({ requestsBy }) => rounded(requestsBy[key] ?? 0))]),
  ]);
}
