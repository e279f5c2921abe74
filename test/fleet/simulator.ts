import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultRule } from '../../simulator/index.ts';
import { type CliProcess, startCli } from '../e2e/cli-fixture.ts';
import { ask } from '../e2e/work-services.ts';

/** A simulated server as its own world knows it. */
export interface SimulatedServer {
  readonly name: string;
  readonly personality: string;
  readonly model: string;
  readonly serial: string;
  readonly power: string;
}

/** A piece of firmware in a simulated server. */
export interface SimulatedSlot {
  readonly slot: string;
  readonly component: string;
  readonly version: string;
}

/** One line of the log of a simulated server. */
export interface LogLine {
  readonly atMs: number;
  readonly event: string;
  readonly detail: string;
}

/** Firmware that can be had. */
export interface CatalogEntry {
  readonly component: string;
  readonly manufacturer: string;
  readonly models: readonly string[];
  readonly version: string;
}

/** A data centre in a process of its own, which nothing that befalls the rest ends. */
export interface Simulator {
  readonly pid: number;
  readonly adminUrl: string;
  readonly caFile: string;
  /** Where the manifests of the fleet are. */
  readonly manifests: string;
  servers(): Promise<readonly SimulatedServer[]>;
  slotsOf(server: string): Promise<readonly SimulatedSlot[]>;
  logOf(server: string): Promise<readonly LogLine[]>;
  catalog(): Promise<readonly CatalogEntry[]>;
  setFaults(rules: readonly FaultRule[]): Promise<void>;
  stop(): Promise<void>;
}

/** Which data centre. */
export interface SimulatorOrder {
  readonly servers: number;
  readonly seed: number;
  readonly speed: number;
}

/** Three vendors, each with ways of its own. */
const personalities = 'dell-idrac9,hpe-ilo5,lenovo-xcc';

/** Starts it in a folder. */
export async function startSimulator(folder: string, { servers, seed, speed }: SimulatorOrder): Promise<Simulator> {
  const dataDir = join(folder, 'simulated');
  const manifests = join(folder, 'manifests');
  const words = ['--servers', servers, '--seed', seed, '--speed', speed, '--personalities', personalities];
  const place = ['--bmc-port', '0', '--data-dir', dataDir, '--export', manifests];
  const child = startCli(['simulate', ...words.map(String), ...place]);
  await child.until('Ctrl-C stops it');
  const file = readFileSync(join(dataDir, 'simulator', 'admin.json'), 'utf8');
  return viewOf(child, { ...(JSON.parse(file) as Admin), caFile: join(dataDir, 'simulator', 'ca.pem'), manifests });
}

interface Admin {
  readonly url: string;
  readonly token: string;
}

function viewOf(
  child: CliProcess,
  { url, token, caFile, manifests }: Admin & { readonly caFile: string; readonly manifests: string },
): Simulator {
  const get = async (path: string) => {
    const { status, body } = await ask(url + path, { token });
    if (status !== 200) throw new Error(`the simulator answers ${status} to ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    pid: child.child.pid ?? 0,
    adminUrl: url,
    caFile,
    manifests,
    servers: async () => (await get('/v1/bmcs')).bmcs as SimulatedServer[],
    slotsOf: async (server) => (await get(`/v1/bmcs/${server}`)).firmware as SimulatedSlot[],
    logOf: async (server) => readLog((await get(`/v1/bmcs/${server}/log`)).text as string),
    catalog: async () => (await get('/v1/catalog')).firmware as CatalogEntry[],
    async setFaults(rules) {
      const { status, body } = await ask(`${url}/v1/faults`, { method: 'PUT', body: rules, token });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    async stop() {
      await child.end('SIGKILL');
    },
  };
}

/** A line is `time event detail`; a log that dropped its beginning tells nothing for certain. */
function readLog(text: string): readonly LogLine[] {
  if (text.startsWith('(')) throw new Error(`the log is not whole: ${text.slice(0, 60)}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at = '', event = '', ...detail] = line.split(' ');
      return { atMs: Number(at), event, detail: detail.join(' ') };
    });
}
