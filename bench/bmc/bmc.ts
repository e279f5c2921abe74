import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWithSushy } from '../../test/real/ironic/read-with-sushy.ts';
import { median, printTable, rounded } from '../figures.ts';
import { type LineProcess, residentMiB, startLineProcess } from '../processes.ts';
import { type FleetMeasure, growthOf, judgeBars, printBars } from './bars.ts';
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

/** Measures inventories of growing fleets and, in the same run, against Python sushy; prints tables, returns figures. A bar that fails is exit code 1. */
export async function benchBmc(options: BmcBenchOptions): Promise<object> {
  const sizes = options.sizes.split(',').map(Number);
  const isCompared = options.compared > 0;
  const plain = isCompared ? await compare(options, { isPlain: true }) : undefined;
  const tls = isCompared ? await compare(options, { isPlain: false }) : undefined;
  const scaling = [];
  for (const size of sizes) scaling.push(await measureFleet(size, options));
  console.log(printScaling(scaling));
  const bars = judgeBars({ scaling, tlsRatio: tls?.ratio });
  if (bars.length > 0) console.log(`\n${printBars(bars)}`);
  if (plain !== undefined)
    console.log(`for information: CPU to that of sushy over plain HTTP is ${rounded(plain.ratio)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  const comparison = isCompared ? { plain, tls } : {};
  return { bench: 'bmc', cpus: cpus().length, options, comparison, scaling, growth: growthOf(scaling), bars };
}

interface FleetFigures extends FleetMeasure {
  readonly bmcsPerSecond: number;
  readonly requestsPerBmc: number;
  readonly clientMiB: number;
  readonly simulatorIdleMiB: number;
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
    const simulatorMiB = residentMiB(simulator.pid);
    return {
      servers,
      bmcsPerSecond: cost.bmcs / cost.seconds,
      cpuMsPerBmc: cost.cpuMs / cost.bmcs,
      requestsPerBmc: cost.requests / cost.bmcs,
      clientMiB: cost.maxRssMiB,
      clientKiBPerBmc: ((cost.maxRssMiB - cost.idleRssMiB) * 1024) / cost.bmcs,
      simulatorKiBPerBmc: ((simulatorMiB - fleet.idleMiB) * 1024) / servers,
      simulatorIdleMiB,
      simulatorMiB,
      gaps: cost.gaps,
    };
  } finally {
    await client.stop();
    await simulator.stop();
  }
}

interface Comparison {
  readonly readsPerBmc: number;
  readonly rackwrightCpuMsPerBmc: number;
  readonly sushyCpuMsPerBmc: number;
  readonly ratio: number;
}

/** The same requests to the same simulator by our client and by sushy, in alternating rounds. */
async function compare(options: BmcBenchOptions, way: { readonly isPlain: boolean }): Promise<Comparison> {
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
      ratio: median(ours) / median(theirs),
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
      'simulator KiB/BMC',
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
      rounded(each.simulatorKiBPerBmc),
      each.gaps,
    ]),
  ]);
}

function printComparison(figures: Comparison, { isPlain }: { readonly isPlain: boolean }): string {
  return printTable([
    [`the same ${figures.readsPerBmc} reads, ${isPlain ? 'plain HTTP' : 'TLS'}`, 'CPU ms/BMC'],
    ['Rackwright', figures.rackwrightCpuMsPerBmc],
    ['Python sushy', figures.sushyCpuMsPerBmc],
    ['ratio', rounded(figures.ratio)],
  ]);
}
