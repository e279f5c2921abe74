import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWithSushy } from '../../test/real/ironic/read-with-sushy.ts';
import { median, printTable, rounded } from '../figures.ts';
import { type LineProcess, residentMiB, startLineProcess } from '../processes.ts';
import type { FleetOrder, InventoryCost, SimulatedFleet } from './fleet.ts';

/** How to measure. */
export interface BmcBenchOptions {
  /** Sizes of fleets, separated by commas. */
  readonly sizes: string;
  /** BMCs read at once. */
  readonly atOnce: number;
  /** BMCs in the comparison with sushy; 0 leaves it out. */
  readonly compared: number;
  readonly rounds: number;
}

const seed = 1;

/** Measures inventories of growing fleets and, in the same run, against Python sushy; prints tables, returns figures. */
export async function benchBmc(options: BmcBenchOptions): Promise<object> {
  const sizes = options.sizes.split(',').map(Number);
  const comparison =
    options.compared === 0
      ? {}
      : { plain: await compare(options, { isPlain: true }), tls: await compare(options, { isPlain: false }) };
  const scaling = [];
  for (const size of sizes) scaling.push(await measureFleet(size, options));
  console.log(printScaling(scaling));
  return { bench: 'bmc', cpus: cpus().length, ...options, comparison, scaling, growth: growthOf(scaling) };
}

interface FleetFigures {
  readonly servers: number;
  readonly bmcsPerSecond: number;
  readonly cpuMsPerBmc: number;
  readonly requestsPerBmc: number;
  readonly clientMiB: number;
  readonly clientKiBPerBmc: number;
  readonly simulatorIdleMiB: number;
  readonly simulatorMiB: number;
  readonly gaps: number;
}

async function measureFleet(servers: number, { atOnce }: BmcBenchOptions): Promise<FleetFigures> {
  const { simulator, fleet } = await startFleet({ seed, servers, isPlain: false, doesLogReads: false });
  const client = startClient();
  try {
    const simulatorIdleMiB = residentMiB(simulator.pid);
    // The compiler's work is no work for BMCs.
    await inventories(client, { ...fleet, bmcs: fleet.bmcs.slice(0, Math.min(50, servers)) }, atOnce);
    const cost = await inventories(client, fleet, atOnce);
    return {
      servers,
      bmcsPerSecond: cost.bmcs / cost.seconds,
      cpuMsPerBmc: cost.cpuMs / cost.bmcs,
      requestsPerBmc: cost.requests / cost.bmcs,
      clientMiB: cost.maxRssMiB,
      clientKiBPerBmc: (Math.max(0, cost.maxRssMiB - cost.idleRssMiB) * 1024) / cost.bmcs,
      simulatorIdleMiB,
      simulatorMiB: residentMiB(simulator.pid),
      gaps: cost.gaps,
    };
  } finally {
    await client.stop();
    await simulator.stop();
  }
}

/** The same requests to the same simulator by our client and by sushy, in alternating rounds. */
async function compare(options: BmcBenchOptions, way: { readonly isPlain: boolean }): Promise<object> {
  const order: FleetOrder = { seed, servers: options.compared, isPlain: way.isPlain, doesLogReads: true };
  const { simulator, fleet } = await startFleet(order);
  const client = startClient();
  const folder = mkdtempSync(join(tmpdir(), 'bench-bmc-'));
  try {
    const verify = fleet.caPem === undefined ? false : join(folder, 'ca.pem');
    if (typeof verify === 'string') writeFileSync(verify, fleet.caPem ?? '');
    await inventories(client, fleet, 1);
    simulator.send('reads');
    const reads = (await simulator.next()) as string[][];
    const targets = fleet.bmcs.map((bmc, index) => ({ ...bmc, reads: reads[index] ?? [] }));
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const cost = await inventories(client, fleet, 1);
      ours.push(cost.cpuMs / cost.bmcs);
      const sushy = await readWithSushy({ targets, verify });
      const errors = sushy.targets.flatMap((target) => target.errors);
      if (errors.length > 0) throw new Error(`sushy could not read the same: ${errors[0]}`);
      theirs.push(sushy.cpuSecondsPerBmc * 1000);
    }
    const figures = {
      readsPerBmc: rounded(reads.flat().length / reads.length),
      rackwrightCpuMsPerBmc: rounded(median(ours)),
      sushyCpuMsPerBmc: rounded(median(theirs)),
      ratio: rounded(median(ours) / median(theirs)),
    };
    console.log(`${printComparison(figures, way)}\n`);
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await client.stop();
    await simulator.stop();
  }
}

async function startFleet(order: FleetOrder): Promise<{ simulator: LineProcess; fleet: SimulatedFleet }> {
  const simulator = startLineProcess(join(import.meta.dirname, 'simulator-process.ts'), [JSON.stringify(order)]);
  return { simulator, fleet: (await simulator.next()) as SimulatedFleet };
}

function startClient(): LineProcess {
  return startLineProcess(join(import.meta.dirname, 'inventory-process.ts'));
}

async function inventories(client: LineProcess, fleet: SimulatedFleet, atOnce: number): Promise<InventoryCost> {
  client.send({ ...fleet, atOnce });
  return (await client.next()) as InventoryCost;
}

function growthOf(scaling: readonly FleetFigures[]): object {
  const first = scaling[0];
  const last = scaling.at(-1);
  if (first === undefined || last === undefined) return {};
  return {
    from: first.servers,
    to: last.servers,
    cpuPerBmc: rounded(last.cpuMsPerBmc / first.cpuMsPerBmc),
    clientMemoryPerBmc: rounded(last.clientMiB / last.servers / (first.clientMiB / first.servers)),
  };
}

function printScaling(scaling: readonly FleetFigures[]): string {
  return printTable([
    [
      'full inventory, TLS',
      'BMCs/s',
      'CPU ms/BMC',
      'requests/BMC',
      'client MiB',
      'client KiB/BMC',
      'simulator MiB',
      'gaps',
    ],
    ...scaling.map((each) => [
      `${each.servers} BMCs`,
      rounded(each.bmcsPerSecond),
      rounded(each.cpuMsPerBmc),
      rounded(each.requestsPerBmc),
      rounded(each.clientMiB),
      rounded(each.clientKiBPerBmc),
      `${rounded(each.simulatorIdleMiB)} to ${rounded(each.simulatorMiB)}`,
      each.gaps,
    ]),
  ]);
}

function printComparison(
  figures: { readsPerBmc: number; rackwrightCpuMsPerBmc: number; sushyCpuMsPerBmc: number; ratio: number },
  { isPlain }: { readonly isPlain: boolean },
): string {
  return printTable([
    [`the same ${figures.readsPerBmc} reads, ${isPlain ? 'plain HTTP' : 'TLS'}`, 'CPU ms/BMC'],
    ['Rackwright', figures.rackwrightCpuMsPerBmc],
    ['Python sushy', figures.sushyCpuMsPerBmc],
    ['ratio', figures.ratio],
  ]);
}
