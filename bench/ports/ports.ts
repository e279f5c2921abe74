import { cpus } from 'node:os';
import { median, printTable, rounded } from '../figures.ts';
import { growthOf, judgeBars, type PortsMeasure, printBars, steps } from './bars.ts';
import { type PortsRunFigures, runPorts } from './run.ts';

/** How to measure. */
export interface PortsBenchOptions {
  /** Ports of each run, separated by commas. */
  readonly sizes: string;
  readonly switches: number;
  readonly only?: PortsMeasure['backend'];
  /** How often each size is measured; the middle one counts. */
  readonly rounds: number;
}

interface SizeFigures {
  readonly backend: PortsMeasure['backend'];
  readonly ports: number;
  readonly peakMiB: number;
}

/** Measures how ports are configured, changed and cleaned; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchPorts(options: PortsBenchOptions): Promise<object> {
  const backends = options.only === undefined ? (['fixture', 'ovsdb'] as const) : [options.only];
  const measures: PortsMeasure[] = [];
  const sizes: SizeFigures[] = [];
  for (const backend of backends) {
    for (const ports of options.sizes.split(',').map(Number)) {
      const runs: PortsRunFigures[] = [];
      for (let round = 0; round < options.rounds; round += 1)
        runs.push(await runPorts({ backend, ports, switches: options.switches }));
      measures.push(...measuresOf(runs, { backend, ports }));
      sizes.push({ backend, ports, peakMiB: rounded(Math.max(...runs.map(({ peakMiB }) => peakMiB))) });
    }
  }
  console.log(`${printMeasures(measures)}\n\n${printSizes(sizes)}`);
  const bars = judgeBars(measures);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'ports', cpus: cpus().length, options, measures, sizes, growth: growthOf(measures), bars };
}

function measuresOf(runs: readonly PortsRunFigures[], size: Pick<PortsMeasure, 'backend' | 'ports'>): PortsMeasure[] {
  return steps.map((step) => {
    const middle = (figure: 'seconds' | 'cpuMs' | 'requests' | 'calls'): number =>
      median(runs.map((run) => run.steps[step][figure])) / size.ports;
    return {
      ...size,
      step,
      portsPerSecond: rounded(1 / middle('seconds')),
      cpuMs: rounded(middle('cpuMs')),
      requests: rounded(middle('requests')),
      calls: rounded(middle('calls')),
    };
  });
}

function printMeasures(measures: readonly PortsMeasure[]): string {
  const rows = measures.map(({ backend, ports, step, portsPerSecond, cpuMs, requests, calls }) => [
    ...[`${backend}, ${ports} ports ${step}`, portsPerSecond, cpuMs, requests, calls],
  ]);
  return printTable([['', 'ports/s', 'CPU ms a port', 'requests a port', 'calls to switches a port'], ...rows]);
}

function printSizes(sizes: readonly SizeFigures[]): string {
  return printTable([
    ['', 'most memory of the controllers, MiB'],
    ...sizes.map(({ backend, ports, peakMiB }) => [`${backend}, ${ports} ports`, peakMiB]),
  ]);
}
