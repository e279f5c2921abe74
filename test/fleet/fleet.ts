import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import type {
  BMC,
  BMCSecret,
  DiscoveredFirmware,
  Server,
  ServerFirmware,
  ServerFirmwareGroup,
} from '../../src/api/index.ts';
import { resources } from '../../src/firmware/resources.ts';
import { createClient, type KubeClient, type KubeObject, type ResourceClient } from '../../src/kube/index.ts';
import { type CliProcess, startCli, temporaryFolder } from '../e2e/cli-fixture.ts';
import { CpuTime } from './cpu-time.ts';
import type { FleetPlane, OpenPlane } from './plane.ts';
import { type Simulator, type SimulatorOrder, startSimulator } from './simulator.ts';

/** Three processes: an API server, a simulated data centre, and `rackwright up` between them. */
export interface FirmwareFleet {
  readonly simulator: Simulator;
  readonly servers: ResourceClient<Server & KubeObject>;
  readonly firmwares: ResourceClient<ServerFirmware & KubeObject>;
  readonly groups: ResourceClient<ServerFirmwareGroup & KubeObject>;
  readonly discovered: ResourceClient<DiscoveredFirmware & KubeObject>;
  /** Makes the BMCs of the data centre known. */
  applyBmcs(): Promise<void>;
  restartApi(): Promise<void>;
  /** Kills `rackwright up` and starts it again on its data directory. */
  killUp(): Promise<void>;
  /** Waits until nothing is missing; a look that fails is a look at something that is away. */
  until(what: string, missing: () => Promise<string | undefined>): Promise<void>;
  /** Processor time of all processes up to now. */
  cpuSeconds(): number;
  /** What `rackwright up` complained about last. */
  complaints(): string;
  close(): Promise<void>;
}

/** What a fleet is started with. */
export interface FleetOrder extends SimulatorOrder {
  readonly openPlane: OpenPlane;
  /** How long anything may take before it is given up. */
  readonly deadlineMs: number;
}

/** Who the person at the keyboard is to the API server. */
export const operator = 'operator';

/** Starts all three. */
export async function startFirmwareFleet(order: FleetOrder): Promise<FirmwareFleet> {
  const folder = temporaryFolder();
  const open: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of open.reverse()) await end();
    folder.remove();
  };
  try {
    const plane = await order.openPlane(folder.path);
    open.push(() => plane.stop());
    const simulator = await startSimulator(folder.path, order);
    open.push(() => simulator.stop());
    const up = await startUpBeside({ plane, simulator, folder: folder.path, speed: order.speed });
    open.push(() => up.stop());
    const client = await createClient({ kubeconfig: plane.kubeconfig });
    open.push(() => client.close());
    return { ...assemble({ plane, simulator, up, client, order }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly plane: FleetPlane;
  readonly simulator: Simulator;
  readonly up: Up;
  readonly client: KubeClient;
  readonly order: FleetOrder;
}

function assemble({ plane, simulator, up, client, order }: Parts): Omit<FirmwareFleet, 'close'> {
  const cpu = new CpuTime();
  const look = (): void => cpu.look([...plane.pids(), simulator.pid, up.pid, process.pid]);
  return {
    simulator,
    servers: client.resource(resources.servers),
    firmwares: client.resource(resources.firmwares),
    groups: client.resource(resources.groups),
    discovered: client.resource(resources.discovered),
    applyBmcs: () => applyBmcs(client, simulator.manifests),
    async restartApi() {
      look();
      await plane.restart();
    },
    async killUp() {
      look();
      await up.kill();
    },
    async until(what, missing) {
      const end = performance.now() + order.deadlineMs;
      for (;;) {
        const why = await missing().catch((error: unknown) => String(error));
        if (why === undefined) return;
        if (performance.now() > end) throw new Error(`${what}: ${why}`);
        await pause(lookEveryMs);
      }
    },
    cpuSeconds() {
      look();
      return cpu.seconds;
    },
    complaints: () => up.complaints(),
  };
}

const lookEveryMs = 500;
/** Characters for each life of `rackwright up`. */
const mostComplaints = 2000;

interface Up {
  readonly pid: number;
  kill(): Promise<void>;
  complaints(): string;
  stop(): Promise<void>;
}

async function startUpBeside(beside: {
  readonly plane: FleetPlane;
  readonly simulator: Simulator;
  readonly folder: string;
  readonly speed: number;
}): Promise<Up> {
  const { plane, simulator, folder, speed } = beside;
  const words = [
    ...['up', '--kubeconfig', plane.kubeconfig, '--data-dir', join(folder, 'up'), '--port', '0', '--simulate', '0'],
    ...['--facilities', 'lab', '--bmc-ca', simulator.caFile, '--bmc-speed', String(speed), '--concurrency', '200'],
    ...['--catalog', `plain=${simulator.adminUrl}/v1/catalog`, '--attempts-first', '1s'],
  ];
  const lives: CliProcess[] = [];
  const start = async (): Promise<CliProcess> => {
    const life = startCli(words);
    lives.push(life);
    await life.until('Ctrl-C stops it');
    return life;
  };
  let up = await start();
  return {
    get pid() {
      return up.child.pid ?? 0;
    },
    async kill() {
      await up.end('SIGKILL');
      up = await start();
    },
    complaints: () => lives.map(({ printed }) => printed.err.slice(-mostComplaints)).join(''),
    async stop() {
      await up.end('SIGKILL');
    },
  };
}

async function applyBmcs(client: KubeClient, folder: string): Promise<void> {
  const objects = readdirSync(folder)
    .filter((name) => name.startsWith('server-'))
    .flatMap((name) =>
      parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((each) => each.toJS() as object),
    );
  const apply = { fieldManager: operator };
  const secrets = client.resource<BMCSecret & KubeObject>(resources.bmcSecrets);
  const bmcs = client.resource<BMC & KubeObject>(resources.bmcs);
  for (const object of objects as (KubeObject & { kind: string })[]) {
    if (object.kind === 'BMCSecret') await secrets.apply(object as BMCSecret & KubeObject, apply);
    if (object.kind === 'BMC') await bmcs.apply(object as BMC & KubeObject, apply);
  }
}
