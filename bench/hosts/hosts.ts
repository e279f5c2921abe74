import { cpus } from 'node:os';
import { printTable, rounded } from '../figures.ts';
import { compare, comparePlanes, growthOf, type HostsMeasure, judgeBars, printBars, rateOf } from './bars.ts';
import { type Operator, ours } from './operator.ts';
import { requestsAHost } from './requests.ts';
import { type HostsRunFigures, runHosts } from './run.ts';
import type { WrittenObjects } from './written-objects.ts';

type Plane = HostsMeasure['plane'];

/** How to measure. */
export interface HostsBenchOptions {
  /** Hosts of each run, separated by commas. */
  readonly sizes: string;
  readonly only?: Plane;
  /** How often a size of few hosts is measured; the middle one counts. */
  readonly rounds: number;
  /** Hosts that are made available before each measurement. */
  readonly warmUp: number;
  /** Starts another operator, which is measured on the same work. */
  readonly operatorCommand?: string;
  /** Its sizes; the same unless given. */
  readonly operatorSizes?: string;
  /** A file with definitions that it needs. */
  readonly operatorCrds?: string;
}

/** Below this a run is over so soon that chance has a say. */
const fewHosts = 500;

interface SizeFigures extends HostsMeasure {
  /** Until all are available. */
  readonly availablePerSecond: number;
  /** Until all is written. */
  readonly hostsPerSecond: number;
  readonly apiserverCpuMs: number;
  readonly operatorMiB: number;
  readonly apiserverMiB: number;
  readonly requestsBy: Readonly<Record<string, number>>;
}

/** Measures how N hosts become available; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchHosts(options: HostsBenchOptions): Promise<object> {
  const planes: readonly Plane[] = options.only === undefined ? ['embedded', 'real'] : [options.only];
  const measures: SizeFigures[] = [];
  const written: Partial<Record<Operator['name'], WrittenObjects>> = {};
  const operators = operatorsOf(options);
  // First for all of them: an operator that does not start is noticed before the long runs.
  for (const { operator, sizes } of operators) {
    const [plane = 'embedded'] = planes;
    const order = { plane, operator, hosts: Math.min(...sizes), warmUp: options.warmUp, hasWrites: true };
    const look = await runHosts(order);
    if (look.written !== undefined) written[operator.name] = look.written;
  }
  for (const { operator, sizes } of operators) {
    const runs = planes.flatMap((plane) => sizes.map((hosts) => ({ plane, operator, hosts, warmUp: options.warmUp })));
    for (const run of runs) measures.push(await measureSize(run, options.rounds));
  }
  console.log(`${printSizes(measures)}\n\n${printRequests(measures)}\n\n${printWritten(written)}`);
  const bars = judgeBars(measures, written.rackwright);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  const compared = { growth: growthOf(measures), planes: comparePlanes(measures), comparison: compare(measures) };
  return { bench: 'hosts', cpus: cpus().length, options, measures, written, ...compared, bars };
}

function operatorsOf(options: HostsBenchOptions): { readonly operator: Operator; readonly sizes: readonly number[] }[] {
  const { sizes, operatorCommand: command, operatorSizes = sizes, operatorCrds: definitions } = options;
  const other: Operator | undefined = command === undefined ? undefined : { name: 'other', command, definitions };
  return [
    { operator: ours, sizes: numbersIn(sizes) },
    ...(other === undefined ? [] : [{ operator: other, sizes: numbersIn(operatorSizes) }]),
  ];
}

function numbersIn(list: string): readonly number[] {
  return list.split(',').map(Number);
}

async function measureSize(order: Parameters<typeof runHosts>[0], rounds: number): Promise<SizeFigures> {
  const runs: HostsRunFigures[] = [];
  for (let run = 0; run < (order.hosts < fewHosts ? rounds : 1); run += 1) runs.push(await runHosts(order));
  const bySeconds = runs.toSorted((left, right) => left.doneSeconds - right.doneSeconds);
  const middle = bySeconds[Math.floor(bySeconds.length / 2)];
  if (middle === undefined) throw new Error('there was no run');
  const { plane, hosts, operator } = order;
  const { seconds, doneSeconds, available, complete, operatorMiB, apiserverMiB } = middle;
  return {
    ...{ plane, hosts, operator: operator.name, seconds, doneSeconds, available, complete, operatorMiB, apiserverMiB },
    availablePerSecond: hosts / seconds,
    hostsPerSecond: rateOf({ hosts, doneSeconds }),
    operatorCpuMs: middle.operatorCpuMs / hosts,
    apiserverCpuMs: middle.apiserverCpuMs / hosts,
    requests: middle.requests.reduce((sum, { count }) => sum + count, 0) / hosts,
    requestsBy: requestsAHost(middle.requests, hosts),
  };
}

function heading(what: string, measures: readonly SizeFigures[]): string[] {
  return [what, ...measures.map(({ operator, plane, hosts }) => `${operator}, ${plane}, ${hosts}`)];
}

function printSizes(measures: readonly SizeFigures[]): string {
  const row = (what: string, value: (size: SizeFigures) => number) => [
    what,
    ...measures.map((size) => rounded(value(size))),
  ];
  return printTable([
    heading('hosts made at once', measures),
    row('seconds until all are available', ({ seconds }) => seconds),
    row('seconds until all is written', ({ doneSeconds }) => doneSeconds),
    row('hosts a second until available', ({ availablePerSecond }) => availablePerSecond),
    row('hosts a second until written', ({ hostsPerSecond }) => hostsPerSecond),
    row('requests a host', ({ requests }) => requests),
    row('CPU seconds: operator', ({ operatorCpuMs, hosts }) => (operatorCpuMs * hosts) / 1000),
    row('  ms a host', ({ operatorCpuMs }) => operatorCpuMs),
    row('CPU seconds: API server', ({ apiserverCpuMs, hosts }) => (apiserverCpuMs * hosts) / 1000),
    row('  ms a host', ({ apiserverCpuMs }) => apiserverCpuMs),
    row('MiB: operator, most', ({ operatorMiB }) => operatorMiB),
    row('MiB: API server', ({ apiserverMiB }) => apiserverMiB),
    row('hosts with companions and every event', ({ complete }) => complete),
  ]);
}

function printRequests(measures: readonly SizeFigures[]): string {
  const keys = [...new Set(measures.flatMap(({ requestsBy }) => Object.keys(requestsBy)))].toSorted();
  return printTable([
    heading('requests a host', measures),
    ...keys.map((key) => [key, ...measures.map(({ requestsBy }) => rounded(requestsBy[key] ?? 0))]),
  ]);
}

function printWritten(written: Partial<Record<Operator['name'], WrittenObjects>>): string {
  return printTable([
    ['written most often', "no host's own", 'writes', "a host's own", 'writes'],
    ...Object.entries(written).map(([name, { shared, own }]) => [
      name,
      ...[shared.object, shared.writes, own.object, own.writes],
    ]),
  ]);
}
