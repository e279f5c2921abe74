import type { PollResult } from './poll/poll-sources.ts';
import type { Arrival } from './poll/sort-machines.ts';
import type { Tokens } from './poll/token-bucket.ts';
import type { Report } from './report.ts';

/** How far this process is with one BareMetalHostDiscovery; all of it can be found out again. */
export interface Course {
  /** When the next poll is due, by the clock that never jumps. */
  dueAtMs: number;
  /** How long after the end of this one the next poll is. */
  waitMs: number;
  /** The generation that the last poll was of. */
  generation: number | undefined;
  tokens: Tokens | undefined;
  /** Discovered hosts that nobody used when the last poll began. */
  unused: number;
  /** Hosts that were created and are in no cache yet, and when. */
  fresh: Map<string, number>;
  cursor: Arrival | undefined;
  /** When each machine of the last poll was first heard of, and which of them has which name. */
  arrivals: ReadonlyMap<string, number>;
  names: ReadonlyMap<string, string>;
  /** A poll whose hosts are not created yet. */
  poll: PollResult | undefined;
  report: Report | undefined;
  /** True until somebody had the time to tell the report: nobody asks again before that. */
  isUntold: boolean;
  /** True until a status has told it. */
  isNews: boolean;
  uncounted: number;
  /** Every MAC of the last poll. */
  macs: ReadonlySet<string>;
}

/** A course that begins: the first poll is due at once. */
export function newCourse(): Course {
  return {
    dueAtMs: Number.NEGATIVE_INFINITY,
    waitMs: 0,
    generation: undefined,
    tokens: undefined,
    unused: 0,
    fresh: new Map(),
    cursor: undefined,
    arrivals: new Map(),
    names: new Map(),
    poll: undefined,
    report: undefined,
    isUntold: false,
    isNews: false,
    uncounted: 0,
    macs: new Set(),
  };
}
