import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';
import type { WrittenObjects } from './written-objects.ts';

export { type Bar, printBars };

/** What one size came to with one operator on one API server, as far as bars look at it. */
export interface HostsMeasure {
  readonly plane: 'embedded' | 'real';
  readonly operator: 'rackwright' | 'other';
  readonly hosts: number;
  /** Until all are available. */
  readonly seconds: number;
  /** Until everything about them is written. */
  readonly doneSeconds: number;
  readonly available: number;
  /** Hosts with their companions and every event. */
  readonly complete: number;
  /** For each host. */
  readonly operatorCpuMs: number;
  readonly requests: number;
}

/** How the cost of a host changed from the smallest size to a larger one; 1 is no change. */
export interface HostsGrowth {
  readonly plane: HostsMeasure['plane'];
  readonly from: number;
  readonly to: number;
  /** Until the last write: only then is the same work done for each host, however many there are. */
  readonly time: number;
  readonly cpu: number;
}

/** Rates of ours to those of another operator, measured in the same run with as many hosts on the same API server. */
export interface Comparison {
  readonly plane: HostsMeasure['plane'];
  readonly hosts: number;
  readonly times: number;
}

/** Our rate on the embedded API server to that on a real one, with as many hosts. */
export interface PlaneComparison {
  readonly hosts: number;
  readonly times: number;
}

const mostRequests = 18;
/** No slowing; what is left is noise. */
const mostGrowth = 1.25;
/** A handful: made, and now and then told something. */
const mostSharedWrites = 5;
const leastTimes = 3;
/** What metal3's own operator came to at its best with 1,000 hosts on a real API server and two cores, and how many times that is promised. */
const metal3 = { hosts: 1000, hostsPerSecond: 9.4 };

/** Hosts a second until everything about them is written. */
export function rateOf({ hosts, doneSeconds }: Pick<HostsMeasure, 'hosts' | 'doneSeconds'>): number {
  return hosts / doneSeconds;
}

/** Compares our smallest size with each larger one on each API server that had several. */
export function growthOf(measures: readonly HostsMeasure[]): readonly HostsGrowth[] {
  const ours = measures.filter(({ operator }) => operator === 'rackwright');
  return [...Map.groupBy(ours, ({ plane }) => plane)].flatMap(([plane, sizes]): HostsGrowth[] => {
    const [first, ...others] = sizes.toSorted((left, right) => left.hosts - right.hosts);
    if (first === undefined) return [];
    return others.map((each) => ({
      plane,
      from: first.hosts,
      to: each.hosts,
      time: rateOf(first) / rateOf(each),
      cpu: each.operatorCpuMs / first.operatorCpuMs,
    }));
  });
}

/** Compares our rates on the two API servers where both were measured, the most hosts last. */
export function comparePlanes(measures: readonly HostsMeasure[]): readonly PlaneComparison[] {
  const ours = measures.filter(({ operator }) => operator === 'rackwright');
  return ours
    .flatMap((embedded): PlaneComparison[] => {
      const real = ours.find(({ plane, hosts }) => plane === 'real' && hosts === embedded.hosts);
      if (embedded.plane !== 'embedded' || real === undefined) return [];
      return [{ hosts: embedded.hosts, times: rateOf(embedded) / rateOf(real) }];
    })
    .toSorted((left, right) => left.hosts - right.hosts);
}

/** Compares with another operator where both were measured: ours until the last write, the other until all are available. */
export function compare(measures: readonly HostsMeasure[]): readonly Comparison[] {
  return measures.flatMap((ours): Comparison[] => {
    if (ours.operator !== 'rackwright') return [];
    const isSame = (each: HostsMeasure) =>
      each.operator === 'other' && each.plane === ours.plane && each.hosts === ours.hosts;
    const other = measures.find(isSame);
    return other === undefined
      ? []
      : [{ plane: ours.plane, hosts: ours.hosts, times: other.seconds / ours.doneSeconds }];
  });
}

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(measures: readonly HostsMeasure[], written: WrittenObjects | undefined): readonly Bar[] {
  return [
    ...measures.filter(({ operator }) => operator === 'rackwright').flatMap(sizeBars),
    ...growthOf(measures).flatMap(growthBars),
    // With few hosts the time is that of the last of them, whichever the API server.
    ...comparePlanes(measures)
      .slice(-1)
      .map(({ hosts, times }) =>
        atLeast(`rate on the embedded API to that on a real one with ${hosts} hosts`, times, leastTimes),
      ),
    ...(written === undefined
      ? []
      : [atMost("writes to any object that is no host's own", written.shared.writes, mostSharedWrites)]),
    ...compare(measures).map(({ plane, hosts, times }) =>
      atLeast(`rate to that of the other operator with ${hosts} hosts, ${plane}`, times, leastTimes),
    ),
  ];
}

function sizeBars(measure: HostsMeasure): Bar[] {
  const { plane, hosts, available, complete, requests } = measure;
  const isComparable = plane === 'real' && hosts === metal3.hosts;
  const least = rounded(leastTimes * metal3.hostsPerSecond);
  return [
    ...(isComparable
      ? [atLeast(`hosts a second until all is written of ${hosts}, ${plane}`, rateOf(measure), least)]
      : []),
    exactly(`available of ${hosts}, ${plane}`, available, hosts),
    exactly(`with companions and events of ${hosts}, ${plane}`, complete, hosts),
    atMost(`requests a host of ${hosts}, ${plane}`, requests, mostRequests),
  ];
}

function growthBars({ plane, from, to, time, cpu }: HostsGrowth): Bar[] {
  const range = `from ${from} to ${to}, ${plane}, factor`;
  return [
    atMost(`time a host until all is written, ${range}`, time, mostGrowth),
    atMost(`CPU a host, ${range}`, cpu, mostGrowth),
  ];
}

function exactly(what: string, value: number, wanted: number): Bar {
  return { bar: `${what}: ${wanted}`, value, holds: value === wanted };
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}

function atLeast(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at least ${limit}`, value: rounded(value), holds: value >= limit };
}
