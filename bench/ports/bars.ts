import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/** What is done to all ports at once. */
export const steps = ['configured', 'changed', 'cleaned'] as const;

/** One of them. */
export type Step = (typeof steps)[number];

/** What a step came to with so many ports, for each port. */
export interface PortsMeasure {
  readonly backend: 'fixture' | 'ovsdb';
  readonly ports: number;
  readonly step: Step;
  readonly portsPerSecond: number;
  readonly cpuMs: number;
  /** To the API server. */
  readonly requests: number;
  /** To switches. */
  readonly calls: number;
}

/** How the cost of a port changed from the fewest ports to the most, over all steps; 1 is no change. */
export interface PortsGrowth {
  readonly backend: PortsMeasure['backend'];
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly calls: number;
  readonly requests: number;
}

/** No growth; what is left is noise. */
const mostGrowth = 1.25;
/** A status that says what is about to be set, one that says what is, and an event for some. */
const mostRequests = 4;
/** Ports of one switch go together: with 25 of them a call is for several. */
const mostCalls = 1;
/** With fewer ports there is nothing to go together. */
const portsThatGoTogether = 1000;

/** Compares the fewest ports with the most, for each kind of switch. */
export function growthOf(measures: readonly PortsMeasure[]): readonly PortsGrowth[] {
  return [...Map.groupBy(measures, ({ backend }) => backend)].flatMap(([backend, own]): PortsGrowth[] => {
    const sizes = [...new Set(own.map(({ ports }) => ports))].toSorted((left, right) => left - right);
    const [from, to] = [sizes[0], sizes.at(-1)];
    if (from === undefined || to === undefined || from === to) return [];
    const growth = (figure: 'cpuMs' | 'calls' | 'requests'): number =>
      sumOf(own, to, figure) / sumOf(own, from, figure);
    return [{ backend, from, to, cpu: growth('cpuMs'), calls: growth('calls'), requests: growth('requests') }];
  });
}

function sumOf(measures: readonly PortsMeasure[], size: number, figure: 'cpuMs' | 'calls' | 'requests'): number {
  return measures.filter(({ ports }) => ports === size).reduce((sum, each) => sum + each[figure], 0);
}

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(measures: readonly PortsMeasure[]): readonly Bar[] {
  return [
    ...measures.map(({ backend, ports, step, requests }) =>
      atMost(`requests for a port that is ${step}, ${ports} ports, ${backend}`, requests, mostRequests),
    ),
    ...measures
      .filter(({ ports }) => ports >= portsThatGoTogether)
      .map(({ backend, ports, step, calls }) =>
        atMost(`calls to switches for a port that is ${step}, ${ports} ports, ${backend}`, calls, mostCalls),
      ),
    ...growthOf(measures).flatMap(({ backend, from, to, cpu, calls, requests }) => [
      atMost(`CPU for a port, from ${from} to ${to}, ${backend}, factor`, cpu, mostGrowth),
      atMost(`calls to switches for a port, from ${from} to ${to}, ${backend}, factor`, calls, mostGrowth),
      atMost(`requests for a port, from ${from} to ${to}, ${backend}, factor`, requests, mostGrowth),
    ]),
  ];
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
