import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LineProcess, startLineProcess } from '../processes.ts';
import type {
  InstallFleet,
  InstallFleetOrder,
  SimulatorReport,
  WorkEnd,
  WorkerCommand,
  WorkerCost,
  WorkerOrder,
} from './fleet.ts';
import { type FaultyServer, timingsOf } from './scenario.ts';
import { type Simulators, startSimulators } from './simulators.ts';

/** One run: a simulated fleet, and workers that install firmware on it. */
export interface RunOrder {
  readonly servers: number;
  readonly parallel: number;
  readonly flashMs: number;
  readonly faulty: readonly FaultyServer[];
  readonly workers: number;
  /** PostgreSQL and NATS in place of a file and the bus of one process. */
  readonly services?: { readonly databaseUrl: string; readonly natsUrl: string } | undefined;
  readonly imageBytes: number;
  /** Installs done before anything is measured, so that the compiler's work is no work for conditions. */
  readonly warmUp: number;
}

/** What a run came to. */
export interface RunFigures {
  readonly end: WorkEnd;
  /** How long a worker had each server, in seconds, in the order of the fleet. */
  readonly took: readonly number[];
  readonly simulator: SimulatorReport;
  readonly workers: readonly WorkerCost[];
  /** The sum of all workers. */
  readonly cpuMs: number;
  readonly statements: number;
  readonly requests: number;
  /** Memory of all workers above what they had before the work. */
  readonly grownMiB: number;
}

const seed = 1;

/** Starts everything in processes of its own, measures, and ends it. */
export async function runInstalls(order: RunOrder): Promise<RunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-install-'));
  const processes: LineProcess[] = [];
  try {
    const simulator = await startSimulators(fleetOrderOf(order), processes);
    const { fleet } = simulator;
    const workers = await startWorkers(order, { folder, fleet, processes });
    const first = workers[0];
    if (first === undefined) throw new RangeError('there has to be a worker');
    await tell(first, { do: 'enrol', servers: fleet.servers });
    const end = await work(order, { fleet, workers, first, simulator });
    const costs = [];
    for (const worker of workers) costs.push((await tell(worker, { do: 'cost' })) as WorkerCost);
    const report = await simulator.report();
    const took = fleet.servers.slice(order.warmUp).map(({ id }) => end.took[id] ?? Number.NaN);
    return { end, took, simulator: report, workers: costs, ...sumOf(costs) };
  } finally {
    for (const each of processes.reverse()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function sumOf(costs: readonly WorkerCost[]) {
  const sum = (value: (cost: WorkerCost) => number): number => costs.reduce((all, cost) => all + value(cost), 0);
  return {
    cpuMs: sum(({ cpuMs }) => cpuMs),
    statements: sum(({ statements }) => statements),
    requests: sum(({ requests }) => requests),
    grownMiB: sum(({ maxRssMiB, idleRssMiB }) => maxRssMiB - idleRssMiB),
  };
}

interface Running {
  readonly fleet: InstallFleet;
  readonly workers: readonly LineProcess[];
  readonly first: LineProcess;
  readonly simulator: Simulators;
}

/**
 * Without a warm-up everything is asked for before the workers start, as after a night's orders; with one the workers
 * are there already, and what asking costs is measured too.
 */
async function work({ warmUp }: RunOrder, { fleet, workers, first, simulator }: Running): Promise<WorkEnd> {
  const early = warmUp === 0 ? fleet.servers : fleet.servers.slice(0, warmUp);
  const late = warmUp === 0 ? [] : fleet.servers.slice(warmUp);
  await tell(first, { do: 'order', servers: early });
  await simulator.report();
  for (const worker of workers) await tell(worker, { do: 'start' });
  if (late.length === 0) return (await tell(first, { do: 'await', conditions: early.length })) as WorkEnd;
  await tell(first, { do: 'await', conditions: early.length });
  await simulator.report();
  for (const worker of workers) await tell(worker, { do: 'mark' });
  await tell(first, { do: 'order', servers: late });
  return (await tell(first, { do: 'await', conditions: fleet.servers.length, skip: warmUp })) as WorkEnd;
}

async function tell(worker: LineProcess, command: WorkerCommand): Promise<unknown> {
  worker.send(command);
  return worker.next();
}

function fleetOrderOf({ flashMs, faulty, warmUp, servers, imageBytes }: RunOrder): InstallFleetOrder {
  return {
    seed,
    servers: servers + warmUp,
    isPlain: false,
    timings: timingsOf(flashMs),
    faults: faulty.map(({ server, what }) => ({ server: server + warmUp, rule: what.rule(flashMs) })),
    imageBytes,
  };
}

async function startWorkers(
  order: RunOrder,
  { folder, fleet, processes }: { folder: string; fleet: InstallFleet; processes: LineProcess[] },
): Promise<LineProcess[]> {
  const workers: LineProcess[] = [];
  for (let at = 0; at < order.workers; at += 1) {
    const workerOrder: WorkerOrder = {
      folder,
      caPem: fleet.caPem,
      parallel: Math.ceil(order.parallel / order.workers),
      flashMs: order.flashMs,
      hasLoop: at === 0,
      ...order.services,
    };
    const worker = startLineProcess(join(import.meta.dirname, 'worker-process.ts'), [JSON.stringify(workerOrder)]);
    processes.push(worker);
    workers.push(worker);
    await worker.next();
  }
  return workers;
}
