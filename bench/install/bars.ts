import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/** What a run with a flash time came to, as far as bars look at it. */
export interface FlashMeasure {
  readonly servers: number;
  readonly succeeded: number;
  /** Time to finish divided by the ideal. */
  readonly ratio: number;
  /** Images written beyond those that a fault of the BMC made necessary. */
  readonly needlessFlashes: number;
}

/** What a run without a flash time came to, as far as bars look at it. */
export interface GrowthMeasure {
  readonly servers: number;
  readonly succeeded: number;
  readonly workerCpuMs: number;
  readonly statements: number;
  /** Memory above what the process had before the work, for each condition. */
  readonly kibPerCondition: number;
}

/** How the cost of a condition changed from the smallest size to the largest; 1 is no change. */
export interface CostGrowth {
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly statements: number;
  readonly memory: number;
}

const mostRatio = 1.1;
/** Close to linear: what a condition costs may grow by so much while their number grows tenfold or more. */
const mostGrowth = 1.25;

/** Compares the smallest size with the largest; undefined where there is only one. */
export function growthOf(sizes: readonly GrowthMeasure[]): CostGrowth | undefined {
  const [first, ...others] = sizes.toSorted((left, right) => left.servers - right.servers);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    from: first.servers,
    to: last.servers,
    cpu: last.workerCpuMs / first.workerCpuMs,
    statements: last.statements / first.statements,
    memory: last.kibPerCondition / first.kibPerCondition,
  };
}

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(figures: {
  readonly flash: FlashMeasure | undefined;
  readonly sizes: readonly GrowthMeasure[];
}): readonly Bar[] {
  const { flash, sizes } = figures;
  const growth = growthOf(sizes);
  return [
    ...(flash === undefined ? [] : flashBars(flash)),
    ...sizes.map((each) => exactly(`installs of ${each.servers} without flash time`, each.succeeded, each.servers)),
    ...(growth === undefined ? [] : growthBars(growth)),
  ];
}

function flashBars({ servers, succeeded, ratio, needlessFlashes }: FlashMeasure): Bar[] {
  return [
    exactly(`installs of ${servers}`, succeeded, servers),
    exactly('images written without need', needlessFlashes, 0),
    atMost('time to the ideal', ratio, mostRatio),
  ];
}

function growthBars({ from, to, cpu, statements, memory }: CostGrowth): Bar[] {
  const range = `from ${from} to ${to}`;
  return [
    atMost(`CPU a condition, ${range}, factor`, cpu, mostGrowth),
    atMost(`SQL statements a condition, ${range}, factor`, statements, mostGrowth),
    atMost(`memory a condition, ${range}, factor`, memory, mostGrowth),
  ];
}

function exactly(what: string, value: number, wanted: number): Bar {
  return { bar: `${what}: ${wanted}`, value, holds: value === wanted };
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
