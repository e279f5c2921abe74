import { printTable, rounded } from '../figures.ts';

/** What was measured for one size of fleet, as far as bars look at it. */
export interface FleetMeasure {
  readonly servers: number;
  readonly cpuMsPerBmc: number;
  /** The most memory of the client above what it had before the first BMC of the fleet, for each BMC. */
  readonly clientKiBPerBmc: number;
  /** Memory of the simulator above what it had before it had BMCs, for each BMC. */
  readonly simulatorKiBPerBmc: number;
  readonly simulatorMiB: number;
}

/** How processor time and memory for a BMC changed from the smallest to the largest fleet; 1 is no change. */
export interface Growth {
  readonly from: number;
  readonly to: number;
  readonly cpuPerBmc: number;
  readonly clientMemoryPerBmc: number;
  readonly simulatorMemoryPerBmc: number;
}

/** A promise of the project, what was measured, and whether it is kept. */
export interface Bar {
  readonly bar: string;
  readonly value: number;
  readonly holds: boolean;
}

const largestFleet = 5000;
const mostSimulatorMiB = 1.5 * 1024;
const mostRatio = 1 / 3;
const mostGrowth = 1.1;

/** Compares the smallest fleet with the largest; undefined where there is only one. */
export function growthOf(scaling: readonly FleetMeasure[]): Growth | undefined {
  const [first, ...others] = scaling.toSorted((left, right) => left.servers - right.servers);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    from: first.servers,
    to: last.servers,
    cpuPerBmc: last.cpuMsPerBmc / first.cpuMsPerBmc,
    clientMemoryPerBmc: last.clientKiBPerBmc / first.clientKiBPerBmc,
    simulatorMemoryPerBmc: last.simulatorKiBPerBmc / first.simulatorKiBPerBmc,
  };
}

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(figures: {
  readonly scaling: readonly FleetMeasure[];
  readonly tlsRatio: number | undefined;
}): readonly Bar[] {
  const largest = figures.scaling.find(({ servers }) => servers === largestFleet);
  const growth = growthOf(figures.scaling);
  return [
    ...(largest === undefined
      ? []
      : [below(`simulator with ${largestFleet} BMCs, MiB`, largest.simulatorMiB, mostSimulatorMiB)]),
    ...(figures.tlsRatio === undefined ? [] : [atMost('CPU to that of sushy over TLS', figures.tlsRatio, mostRatio)]),
    ...(growth === undefined ? [] : growthBars(growth)),
  ];
}

function growthBars({ from, to, ...factors }: Growth): Bar[] {
  const range = `from ${from} to ${to}`;
  return [
    atMost(`CPU a BMC, ${range}, factor`, factors.cpuPerBmc, mostGrowth),
    atMost(`client memory a BMC, ${range}, factor`, factors.clientMemoryPerBmc, mostGrowth),
    atMost(`simulator memory a BMC, ${range}, factor`, factors.simulatorMemoryPerBmc, mostGrowth),
  ];
}

function below(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: under ${rounded(limit)}`, value: rounded(value), holds: value < limit };
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${rounded(limit)}`, value: rounded(value), holds: value <= limit };
}

/** A line for each bar. */
export function printBars(bars: readonly Bar[]): string {
  return printTable([
    ['bar', 'value', 'holds'],
    ...bars.map((each) => [each.bar, each.value, each.holds ? 'yes' : 'NO']),
  ]);
}
