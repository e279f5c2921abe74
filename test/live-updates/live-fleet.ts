import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineTimings } from '../../simulator/index.ts';
import { personalityOf } from '../../simulator/index.ts';
import { metal3ApiVersion } from '../../src/api/index.ts';
import { type HostApi, fleet as namespace, openHostApi } from '../../src/hosts/testing/rig.ts';
import type { ConnectionSpec } from '../../src/kube/index.ts';
import { type FleetPlane, openEmbeddedPlane } from '../fleet/plane.ts';
import type { Tempo } from '../recovery/fast-time.ts';
import type { FleetOrder, FleetRequest, FleetServer, MachineHistory } from '../recovery/fleet.ts';
import { type Line, type LineProcess, startLineProcess } from '../recovery/line-process.ts';
import type { ControllersOrder } from './order.ts';

/** What a fleet of hosts is started with. */
export interface LiveFleetOrder {
  readonly seed: number;
  readonly hosts: number;
  readonly speed: number;
  readonly timings?: Partial<MachineTimings>;
  /** How many hosts may be serviced at once; 0: no limit. */
  readonly limit: number;
  /** True for the waits and intervals that ship, instead of those that suit fast time. */
  readonly isAsShipped?: boolean;
  /** A file that complaints of the controllers are added to. */
  readonly logPath?: string;
}

/** A setting of a BIOS, and two values that it takes. */
export interface BiosChoice {
  readonly name: string;
  readonly values: readonly [string, string];
}

/** Three processes: an API server, simulated machines, and controllers of which one life after the other is started. */
export interface LiveFleet {
  readonly api: HostApi;
  readonly servers: readonly FleetServer[];
  readonly tempo: Tempo;
  /** A file with a kubeconfig. */
  readonly kubeconfig: string;
  /** Asks the simulated machines. */
  tell(request: FleetRequest): Promise<void>;
  histories(): Promise<readonly MachineHistory[]>;
  /** Starts controllers; resolves once they run, or with undefined when they were ended before. */
  startControllers(): Controllers;
  close(): Promise<void>;
}

/** One life of the controllers. */
export interface Controllers {
  readonly process: LineProcess;
  /** True once they run, false when they ended before. */
  readonly ready: Promise<boolean>;
  /** What it says next to a line. */
  ask(): Promise<Line>;
}

const personalities = ['dell-idrac9', 'hpe-ilo5', 'lenovo-xcc'] as const;

/** Starts the API server and the machines. */
export async function startLiveFleet(order: LiveFleetOrder): Promise<LiveFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'live-updates-'));
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const tempo: Tempo = { speed: order.speed, epochMs: Date.now() };
    const plane = await openEmbeddedPlane(folder);
    closing.push(() => plane.stop());
    const machines = startMachines(order);
    closing.push(() => machines.stop());
    const { servers } = (await machines.next()) as unknown as { servers: FleetServer[] };
    const api = await openHostApi(connectionOf(plane));
    closing.push(() => api.close());
    const fleetPath = join(folder, 'fleet.json');
    writeFileSync(fleetPath, JSON.stringify(servers));
    const { limit, logPath, isAsShipped = false } = order;
    const told: ControllersOrder = {
      ...{ kubeconfig: plane.kubeconfig, dataDir: join(folder, 'data'), fleetPath, tempo, limit, isAsShipped },
      ...(logPath === undefined ? {} : { logPath }),
    };
    const tell = async (request: FleetRequest): Promise<void> => {
      machines.send(request);
      await machines.next();
    };
    return {
      ...{ api, servers, tempo, kubeconfig: plane.kubeconfig, tell, close },
      async histories() {
        const path = join(folder, 'histories.json');
        await tell({ ask: 'histories', path });
        return JSON.parse(readFileSync(path, 'utf8')) as MachineHistory[];
      },
      startControllers() {
        const controllers = startControllers(told);
        closing.push(async () => {
          controllers.process.signal('SIGKILL');
          await controllers.process.ended;
        });
        return controllers;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function connectionOf({ kubeconfig }: FleetPlane): ConnectionSpec {
  return { kubeconfig };
}

interface Talker {
  next(): Promise<Line>;
  send(value: unknown): void;
  stop(): Promise<void>;
  readonly process: LineProcess;
}

/** Lines of a process, one after the other. */
function talkTo(script: URL, order: unknown): Talker {
  const lines: Line[] = [];
  let wanted: (() => void) | undefined;
  const child = startLineProcess(script, order, (line) => {
    lines.push(line);
    wanted?.();
  });
  return {
    process: child,
    send: (value) => child.send(value),
    async next() {
      while (lines.length === 0) {
        const came = new Promise<void>((resolve) => {
          wanted = resolve;
        });
        const end = await Promise.race([came, child.ended]);
        if (end !== undefined && lines.length === 0) throw new Error(`${script.pathname} ended: ${child.tail()}`);
      }
      return lines.shift() ?? { say: '' };
    },
    async stop() {
      child.signal('SIGKILL');
      await child.ended;
    },
  };
}

function startMachines({ seed, hosts, speed, timings }: LiveFleetOrder): Talker {
  const order: FleetOrder = {
    ...{ seed, servers: hosts, speed, personalities, isWithoutReads: true },
    ...(timings === undefined ? {} : { timings }),
  };
  return talkTo(new URL('../recovery/simulator-process.ts', import.meta.url), order);
}

function startControllers(order: ControllersOrder): Controllers {
  const talker = talkTo(new URL('./controllers-process.ts', import.meta.url), order);
  const ready = talker.next().then(
    () => true,
    (error: unknown) => {
      if (talker.process.tail() !== '') throw error;
      return false;
    },
  );
  // Whoever kills them does not wait for them.
  ready.catch(() => undefined);
  return {
    process: talker.process,
    ready,
    ask() {
      talker.send({});
      return talker.next();
    },
  };
}

/** A setting of the BIOS of a server that has at least two values, none of which changes how it boots. */
export function biosChoiceOf({ personality }: FleetServer): BiosChoice {
  const found = personalityOf(personality).bios.find(
    ({ type, isReadOnly, values = [], name }) =>
      type === 'Enumeration' && isReadOnly !== true && values.length > 1 && !/boot/i.test(name),
  );
  const [first, second] = found?.values ?? [];
  if (found === undefined || first === undefined || second === undefined) {
    throw new Error(`no BIOS setting of ${personality} can be changed`);
  }
  return { name: found.name, values: found.default === first ? [second, first] : [first, second] };
}

/** Makes a host of a server, which runs a live ISO, and allows its live updates. */
export async function putLiveHost(api: HostApi, server: FleetServer): Promise<void> {
  const { name, url, systemPath, username, password } = server;
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { username: encode(username), password: encode(password) };
  const secretName = `${name}-bmc`;
  await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: secretName }, data });
  await api.updatePolicies.create({
    apiVersion: metal3ApiVersion,
    kind: 'HostUpdatePolicy',
    metadata: { namespace, name },
    spec: { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' },
  });
  await api.hosts.create({
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace, name },
    spec: {
      online: true,
      bmc: { address: `redfish-virtualmedia+${url}${systemPath}`, credentialsName: secretName },
      image: { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' },
    },
  });
}
