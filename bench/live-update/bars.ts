import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/** What a run came to, as far as bars look at it. */
export interface LiveMeasure {
  readonly hosts: number;
  /** How many hosts may be serviced at once. */
  readonly parallel: number;
  /** Time to finish divided by the ideal. */
  readonly ratio: number;
  /** Hosts that ended OK with the setting that was asked for. */
  readonly ended: number;
  /** For each host, to the API server and to its BMC. */
  readonly apiRequests: number;
  readonly bmcRequests: number;
  /** The most hosts that said at once that they are serviced. */
  readonly mostServicing: number;
  /** The most machines that were worked on at once, by their own logs. */
  readonly mostWorkedOn: number;
  /** Restarts of machines beyond one for each. */
  readonly needlessRestarts: number;
}

const mostRatio = 1.25;
/** The status that says so, the one that says it is over, the annotation, firmware read again, and two events. */
const mostApiRequests = 10;
const mostBmcRequests = 60;

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(measure: LiveMeasure): readonly Bar[] {
  const { hosts, parallel } = measure;
  return [
    { bar: `hosts that end OK: all ${hosts}`, value: measure.ended, holds: measure.ended === hosts },
    atMost('time over ideal, factor', measure.ratio, mostRatio),
    atMost('requests to the API server for a host', measure.apiRequests, mostApiRequests),
    atMost('requests to its BMC for a host', measure.bmcRequests, mostBmcRequests),
    atMost('hosts in servicing at once', measure.mostServicing, parallel),
    atMost('machines worked on at once, by their own logs', measure.mostWorkedOn, parallel),
    atMost('needless restarts', measure.needlessRestarts, 0),
  ];
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
