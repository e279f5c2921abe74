import { join } from 'node:path';
import { type LineProcess, startLineProcess } from '../processes.ts';
import type { BenchServer, InstallFleet, InstallFleetOrder, SimulatorReport } from './fleet.ts';

/** Data centres in processes of their own that are one fleet. */
export interface Simulators {
  readonly fleet: InstallFleet;
  /** What happened since the last report, in the order of the fleet's servers. */
  report(): Promise<SimulatorReport>;
}

/** Each BMC is a listener, and a process may have so many files open. */
const mostInOne = 9000;

/** Starts as many data centres as a fleet needs, and adds their processes to the list of those to be stopped. */
export async function startSimulators(order: InstallFleetOrder, processes: LineProcess[]): Promise<Simulators> {
  const parts: { readonly simulator: LineProcess; readonly fleet: InstallFleet }[] = [];
  for (let from = 0; from < order.servers; from += mostInOne) {
    const simulator = startLineProcess(join(import.meta.dirname, 'simulator-process.ts'), [
      JSON.stringify(partOf(order, from)),
    ]);
    processes.push(simulator);
    parts.push({ simulator, fleet: (await simulator.next()) as InstallFleet });
  }
  return {
    fleet: {
      caPem: parts.map(({ fleet }) => fleet.caPem ?? '').join('\n'),
      servers: parts.flatMap(({ fleet }, at) =>
        at === 0 ? fleet.servers : fleet.servers.map((server) => renamed(server, at)),
      ),
    },
    async report() {
      const reports: SimulatorReport[] = [];
      for (const { simulator } of parts) {
        simulator.send({});
        reports.push((await simulator.next()) as SimulatorReport);
      }
      return joined(reports);
    },
  };
}

/** The n-th server of every data centre has the same name and serial number. */
function renamed(server: BenchServer, at: number): BenchServer {
  return { ...server, name: `${server.name}-${at}`, serial: `${server.serial}-${at}` };
}

function partOf(order: InstallFleetOrder, from: number): InstallFleetOrder {
  const servers = Math.min(mostInOne, order.servers - from);
  return {
    ...order,
    servers,
    seed: order.seed + from / mostInOne,
    faults: order.faults
      .map(({ server, rule }) => ({ server: server - from, rule }))
      .filter(({ server }) => server >= 0 && server < servers),
  };
}

function joined(reports: readonly SimulatorReport[]): SimulatorReport {
  const sum = (value: (report: SimulatorReport) => number): number =>
    reports.reduce((all, report) => all + value(report), 0);
  return {
    cpuMs: sum(({ cpuMs }) => cpuMs),
    rssMiB: sum(({ rssMiB }) => rssMiB),
    flashes: reports.flatMap(({ flashes }) => flashes),
    struck: reports.flatMap(({ struck }) => struck),
    updated: sum(({ updated }) => updated),
  };
}
