import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/**
 * What one size of fleet came to, as far as bars look at it. Everything but counts is for each server; all but requests for
 * each beyond the few that were there at first, since what every fleet costs would thin out as it grows and hide the rest.
 */
export interface SizeMeasure {
  readonly servers: number;
  /** Servers that have what was wanted and say so, as listed at the end. */
  readonly upToDate: number;
  /** From a change of all groups to the last status and the last count. */
  readonly elapsedMs: number;
  readonly controllersCpuMs: number;
  readonly apiserverCpuMs: number;
  readonly requests: number;
  /** The most memory above what the process had with the first servers. */
  readonly peakKiB: number;
  /** The same of the heap, once everything that is not needed was collected. */
  readonly settledKiB: number;
}

/** How the cost of a server changed from the smallest size to the largest; 1 is no change. */
export interface FleetGrowth {
  readonly from: number;
  readonly to: number;
  readonly time: number;
  readonly controllersCpu: number;
  readonly apiserverCpu: number;
  readonly requests: number;
  readonly peakMemory: number;
  readonly settledMemory: number;
}

/** Close to linear: what a server costs may grow by so much while their number grows tenfold. */
const mostGrowth = 1.3;
/** Memory must not grow; what is left is the grain of the collector. */
const mostMemoryGrowth = 1.05;
/** Its entries, the request in its status, what the job reported with what that means, and the counts of groups beside. */
const mostRequests = 4;

/** Compares the smallest size with the largest; undefined where there is only one. */
export function growthOf(sizes: readonly SizeMeasure[]): FleetGrowth | undefined {
  const [first, ...others] = sizes.toSorted((left, right) => left.servers - right.servers);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  // What is not above the cost of the first servers was lost in the noise: nothing is known then.
  const factor = (of: (size: SizeMeasure) => number): number =>
    of(first) > 0 && of(last) > 0 ? of(last) / of(first) : Number.NaN;
  return {
    from: first.servers,
    to: last.servers,
    time: factor(({ elapsedMs }) => elapsedMs),
    controllersCpu: factor(({ controllersCpuMs }) => controllersCpuMs),
    apiserverCpu: factor(({ apiserverCpuMs }) => apiserverCpuMs),
    requests: factor(({ requests }) => requests),
    peakMemory: factor(({ peakKiB }) => peakKiB),
    settledMemory: factor(({ settledKiB }) => settledKiB),
  };
}

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(sizes: readonly SizeMeasure[]): readonly Bar[] {
  const growth = growthOf(sizes);
  return [
    ...sizes.flatMap((each) => [
      exactly(`up to date of ${each.servers}`, each.upToDate, each.servers),
      atMost(`requests a server of ${each.servers}`, each.requests, mostRequests),
    ]),
    ...(growth === undefined ? [] : growthBars(growth)),
  ];
}

function growthBars({ from, to, ...factors }: FleetGrowth): Bar[] {
  const range = `from ${from} to ${to}, factor`;
  return [
    atMost(`time a server, ${range}`, factors.time, mostGrowth),
    atMost(`CPU of the controllers a server, ${range}`, factors.controllersCpu, mostGrowth),
    atMost(`CPU of the API server a server, ${range}`, factors.apiserverCpu, mostGrowth),
    atMost(`requests a server, ${range}`, factors.requests, mostGrowth),
    atMost(`most memory a server, ${range}`, factors.peakMemory, mostMemoryGrowth),
    atMost(`memory a server that stays, ${range}`, factors.settledMemory, mostMemoryGrowth),
  ];
}

function exactly(what: string, value: number, wanted: number): Bar {
  return { bar: `${what}: ${wanted}`, value, holds: value === wanted };
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
