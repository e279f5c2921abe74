import { type Bar, printBars } from './bmc/bars.ts';
import { rounded } from './figures.ts';

export { type Bar, printBars };

/** What a write cost while the store held so many objects. */
export interface GrowthMeasure {
  readonly objects: number;
  /** Processor time of the server. */
  readonly createCpuMs: number;
  /** Time divided by writes, all clients at work. */
  readonly createMs: number;
  readonly patchCpuMs: number;
  readonly patchMs: number;
}

type Cost = Exclude<keyof GrowthMeasure, 'objects'>;

/** How many times better than kube-apiserver with etcd the embedded server has to be. */
const leastTimesBetter: readonly { key: string; what: string; times: number }[] = [
  { key: 'createsPerSecond', what: 'creates/s', times: 4 },
  { key: 'statusPatchesPerSecond', what: 'status patches/s', times: 4 },
  { key: 'getsPerSecond', what: 'gets/s', times: 3 },
  { key: 'listP50Ms', what: 'time of a list', times: 2 },
  { key: 'readyMs', what: 'time to ready', times: 2 },
  { key: 'heldMiB', what: 'resident memory', times: 3 },
];

const costs: readonly { key: Cost; what: string }[] = [
  { key: 'createCpuMs', what: 'CPU of a create' },
  { key: 'createMs', what: 'time of a create' },
  { key: 'patchCpuMs', what: 'CPU of a status patch' },
  { key: 'patchMs', what: 'time of a status patch' },
];
const mostGrowth = 1.5;
/** Whatever is asked of the server meanwhile. */
export const mostLivezMs = 100;

/** How the cost of a write changed from the fewest objects to the most; 1 is no change. */
export function growthOf(
  sizes: readonly GrowthMeasure[],
): ({ from: number; to: number } & Record<Cost, number>) | undefined {
  const [first, ...others] = sizes.toSorted((left, right) => left.objects - right.objects);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    from: first.objects,
    to: last.objects,
    createCpuMs: last.createCpuMs / first.createCpuMs,
    createMs: last.createMs / first.createMs,
    patchCpuMs: last.patchCpuMs / first.patchCpuMs,
    patchMs: last.patchMs / first.patchMs,
  };
}

/**
 * The bars that these figures can judge: `timesBetter` has what was measured on both servers, by name. What could not
 * be measured (NaN) does not hold.
 */
export function judgeBars(figures: {
  readonly timesBetter: Readonly<Record<string, number>>;
  readonly sizes: readonly GrowthMeasure[];
  readonly livezP99Ms?: number | undefined;
}): readonly Bar[] {
  const bars: Bar[] = [];
  for (const { key, what, times } of leastTimesBetter) {
    const value = figures.timesBetter[key];
    if (value === undefined) continue;
    bars.push({ bar: `${what}, times better: at least ${times}`, value: rounded(value), holds: value >= times });
  }
  const { livezP99Ms } = figures;
  if (livezP99Ms !== undefined) {
    const bar = `/livez meanwhile, p99 ms: under ${mostLivezMs}`;
    bars.push({ bar, value: rounded(livezP99Ms), holds: livezP99Ms < mostLivezMs });
  }
  const growth = growthOf(figures.sizes);
  if (growth === undefined) return bars;
  const range = `from ${growth.from} to ${growth.to} objects`;
  for (const { key, what } of costs) {
    const value = growth[key];
    bars.push({
      bar: `${what}, ${range}, factor: under ${mostGrowth}`,
      value: rounded(value),
      holds: value < mostGrowth,
    });
  }
  return bars;
}
