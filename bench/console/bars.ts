import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/** What was measured in the browser. */
export interface ConsoleMeasure {
  readonly hosts: number;
  /** From the start of the navigation to the first thing painted, and to the first host on the screen. */
  readonly firstPaintMs: number;
  readonly firstHostMs: number;
  /** Until every host was read. */
  readonly allHostsMs: number;
  readonly changes: number;
  /** Those of them that the page had shown before it was weighed; none where it stopped showing any. */
  readonly shownChanges: number;
  /** Used by the page after its garbage was collected, before the changes and after. */
  readonly heapBeforeMiB: number;
  readonly heapAfterMiB: number;
}

const mostPaintMs = 2000;
/** Flat; what is left is noise. */
const mostHeapGrowth = 1.2;

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(measure: ConsoleMeasure): readonly Bar[] {
  const { hosts, firstPaintMs, firstHostMs, changes, shownChanges } = measure;
  const growth = measure.heapAfterMiB / measure.heapBeforeMiB;
  return [
    atMost(`first paint with ${hosts} hosts, ms`, firstPaintMs, mostPaintMs),
    atMost(`first host on the screen with ${hosts} hosts, ms`, firstHostMs, mostPaintMs),
    {
      bar: `changes shown of ${changes}: all, and some`,
      value: shownChanges,
      holds: shownChanges > 0 && shownChanges === changes,
    },
    atMost(`heap of the page after ${changes} changes, as a factor`, growth, mostHeapGrowth),
  ];
}

function atMost(bar: string, value: number, limit: number): Bar {
  return { bar: `${bar}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
