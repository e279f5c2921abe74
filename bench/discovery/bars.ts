import { type Bar, printBars } from '../bmc/bars.ts';
import { rounded } from '../figures.ts';

export { type Bar, printBars };

/** What it came to with so many machines; costs are for each of them. */
export interface DiscoveryMeasure {
  readonly hosts: number;
  readonly seconds: number;
  /** Machines with a host that is named right and available. */
  readonly right: number;
  /** Hosts that should not be there. */
  readonly wrong: number;
  readonly cpuMs: number;
  readonly apiserverCpuMs: number;
  readonly requests: number;
  /** Requests to find a machine and make its host: claims, creation, and the status and events of discovery. */
  readonly discoveryRequests: number;
}

/** No growth; what is left is noise. */
const mostGrowth = 1.25;
/** A claim and the host; status and events of a poll are for many. */
const mostDiscoveryRequests = 2.5;
/** With all that is written until a host is available. */
const mostRequests = 12;

/** The bars that these figures can judge. What could not be measured (NaN) does not hold. */
export function judgeBars(measures: readonly DiscoveryMeasure[]): readonly Bar[] {
  const bySize = measures.toSorted((left, right) => left.hosts - right.hosts);
  const [few, many] = [bySize[0], bySize.at(-1)];
  return [
    ...bySize.flatMap((each) => judgeSize(each)),
    ...(few === undefined || many === undefined || few.hosts === many.hosts
      ? []
      : [
          atMost(`CPU a host, from ${few.hosts} to ${many.hosts}, factor`, many.cpuMs / few.cpuMs, mostGrowth),
          atMost(
            `requests a host, from ${few.hosts} to ${many.hosts}, factor`,
            many.requests / few.requests,
            mostGrowth,
          ),
        ]),
  ];
}

function judgeSize({ hosts, right, wrong, requests, discoveryRequests }: DiscoveryMeasure): Bar[] {
  const bar = `${hosts} machines are hosts, each once, named right and available`;
  return [
    { bar, value: right, holds: right === hosts && wrong === 0 },
    atMost(`requests of discovery a host, ${hosts} hosts`, discoveryRequests, mostDiscoveryRequests),
    atMost(`requests a host until it is available, ${hosts} hosts`, requests, mostRequests),
  ];
}

function atMost(what: string, value: number, limit: number): Bar {
  return { bar: `${what}: at most ${limit}`, value: rounded(value), holds: value <= limit };
}
