import { cpus } from 'node:os';
import { printTable, rounded } from '../figures.ts';
import { judgeBars, printBars } from './bars.ts';
import { type LiveRunFigures, runLive } from './run.ts';

/** How to measure. */
export interface LiveBenchOptions {
  readonly hosts: number;
  /** How many of them may be serviced at once. */
  readonly parallel: number;
  /** What a machine takes from its restart to the end of its self-test, in seconds. */
  readonly post: number;
}

/** Measures live updates of many hosts; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchLiveUpdate(options: LiveBenchOptions): Promise<object> {
  const figures = await runLive({ hosts: options.hosts, parallel: options.parallel, postSeconds: options.post });
  console.log(printFigures(figures));
  const bars = judgeBars(figures);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'live-update', cpus: cpus().length, options, figures, bars };
}

function printFigures(figures: LiveRunFigures): string {
  const { hosts, parallel, seconds, idealSeconds, ratio, machineSeconds, apiRequests, bmcRequests } = figures;
  return printTable([
    [`${hosts} hosts, ${parallel} at once`, ''],
    ['seconds', rounded(seconds)],
    ['seconds that the machines themselves need', rounded(idealSeconds)],
    ['time over ideal', rounded(ratio)],
    ['seconds that one machine takes', rounded(machineSeconds)],
    ['requests to the API server, each host', rounded(apiRequests)],
    ['requests to its BMC, each host', rounded(bmcRequests)],
    ['CPU ms of the controllers, each host', rounded(figures.cpuMs)],
    ['most memory of the controllers, MiB', rounded(figures.peakMiB)],
    ['most hosts in servicing at once', figures.mostServicing],
    ['most machines worked on at once', figures.mostWorkedOn],
    ['seconds to provision the hosts before', rounded(figures.setUpSeconds)],
  ]);
}
