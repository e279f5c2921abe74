import { systemClock } from '../src/kube/index.ts';
import type { FaultRule } from './faults/fault.ts';
import { createFaultSets, type FaultSets } from './faults/fault-sets.ts';
import { type FleetPlan, type PlannedServer, planFleet } from './fleet/index.ts';
import type { AgentTarget } from './hosts/agent-link.ts';
import type { Host } from './hosts/host.ts';
import { createHttpDownloader } from './images/download-image.ts';
import { createImageDigests } from './images/image-digests.ts';
import { type Certificates, createCertificates, type Endpoint, Listeners, openFleet, urlOf } from './listen/index.ts';
import { createMachine } from './machine/create-machine.ts';
import type { MachineTimings } from './machine/limits.ts';
import type { Machine } from './machine/machine.ts';
import { personalityOf } from './personalities/index.ts';
import { type Personality, type PersonalityName, personalityNames } from './personalities/personality.ts';
import { createEventPush, createFront } from './redfish/front/index.ts';
import { sharedRoutes } from './redfish/resources/index.ts';
import {
  differenceOf,
  type FleetIdentity,
  fleetIdentity,
  restorePorts,
  type Snapshot,
  SnapshotError,
} from './snapshot/index.ts';
import { startHosts } from './start-hosts.ts';
import type { Fabric } from './switches/fabric.ts';
import { createScaledClock } from './time/scaled-clock.ts';
import type { SimClock } from './time/sim-clock.ts';
import { wireFabric } from './wire-fabric.ts';

/** What kind of data centre to switch on. */
export interface DataCentreOptions {
  /** One seed, one history. */
  readonly seed: number;
  readonly servers: number;
  /** Servers are spread over them; 40 a rack unless given. */
  readonly racks?: number;
  /** Simulated milliseconds that pass in a real one; 1 unless given. Ignored when a clock is given. */
  readonly speed?: number;
  readonly clock?: SimClock;
  /** Cycled through; all unless given. */
  readonly personalities?: readonly PersonalityName[];
  readonly faults?: readonly FaultRule[];
  /** Durations of every BMC in place of those of its vendor, in simulated milliseconds. */
  readonly timings?: Partial<MachineTimings>;
  /** By what share each duration varies, either way; a tenth unless given. */
  readonly variation?: number;
  /**
   * `address`: every BMC at an address of its own in 127/8, all on one port. `port`: all at one address, a port each.
   * `address` unless the machine has no such addresses.
   */
  readonly addressing?: 'address' | 'port';
  /** The address of `port` addressing: `127.0.0.1` unless given, `::1` works too. */
  readonly host?: string;
  /** The one port, or the first; free ones are found unless given. */
  readonly port?: number;
  /** Plain HTTP instead of TLS. */
  readonly isPlain?: boolean;
  /** Start with all hosts on. */
  readonly arePoweredOn?: boolean;
  /** Also log every GET. */
  readonly doesLogReads?: boolean;
  /** Also log with every request what its client calls itself (`User-Agent`). */
  readonly doesLogCallers?: boolean;
  /** Whom the agents of network-booted hosts report to; without it a network boot finds nothing. */
  readonly agent?: AgentTarget;
  /** Untagged VLAN of the ports of boot NICs out of the box, where boot servers are; 100 unless given. */
  readonly provisioningVlan?: number;
  /** The servers, by number, that try the network where their disk is empty, as a fallback; none unless given. */
  readonly doesFallBackToNetwork?: (index: number) => boolean;
  /** How long BMCs wait for an image that they pull, in real milliseconds; a minute unless given. */
  readonly imageTimeoutMs?: number;
  /** Go on from here: a snapshot of the same fleet, or it is refused with a SnapshotError. */
  readonly snapshot?: Snapshot;
}

/** A BMC that can be asked. */
export interface RunningBmc {
  readonly name: string;
  /** `https://127.0.1.7:8443`. */
  readonly url: string;
  readonly username: string;
  /** The one in force. */
  readonly password: string;
  /** `/redfish/v1/Systems/System.Embedded.1`. */
  readonly systemPath: string;
  readonly machine: Machine;
  /** SHA-256 of the certificate it shows now, as `AB:CD:...`; undefined on plain HTTP. */
  fingerprint(): Promise<string | undefined>;
}

/** A data centre that runs. */
export interface DataCentre {
  readonly seed: number;
  /** What makes another one the same. */
  readonly fleet: FleetIdentity;
  readonly clock: SimClock;
  readonly bmcs: readonly RunningBmc[];
  /** The authority that signed every BMC's certificate; undefined on plain HTTP. */
  readonly caPem: string | undefined;
  bmc(name: string): RunningBmc;
  /** Replaces all fault rules; takes effect with the next opportunity. */
  setFaults(rules: readonly FaultRule[]): void;
  readonly faults: readonly FaultRule[];
  /** The switches and who is plugged in where. */
  readonly fabric: Fabric;
  /** What runs on each server, in the order of `bmcs`. */
  readonly hosts: readonly Host[];
  /** Changes whom agents report to; those that run go on as they are. */
  setAgent(target: AgentTarget | undefined): void;
  close(): Promise<void>;
}

/** Switches a data centre on; resolves once every BMC can be asked, and leaves nothing open when that fails. */
export async function startDataCentre(options: DataCentreOptions): Promise<DataCentre> {
  const { snapshot, speed = 1 } = options;
  const difference = snapshot === undefined ? undefined : differenceOf(snapshot.fleet, fleetIdentity(options));
  if (difference !== undefined) throw new SnapshotError('OtherFleet', { difference });
  const clock =
    options.clock ?? createScaledClock({ speed, startEpochMs: Math.max(Date.now(), snapshot?.simulatedAt ?? 0) });
  // A clock that was given may drive more than this data centre.
  const closeClock = (): void => (options.clock === undefined ? clock.close() : undefined);
  try {
    return await assemble({ ...options, clock }, closeClock);
  } catch (error) {
    closeClock();
    throw error;
  }
}

async function assemble(
  options: DataCentreOptions & { readonly clock: SimClock },
  closeClock: () => void,
): Promise<DataCentre> {
  const { clock, seed } = options;
  const plan = planFleet({
    seed,
    servers: options.servers,
    personalities: (options.personalities ?? personalityNames).map((name) => timed(personalityOf(name), options)),
    ...(options.racks === undefined ? {} : { racks: options.racks }),
  });
  const faults = createFaultSets(options.faults ?? [], seed);
  const fabric = wireFabric(plan, options.provisioningVlan);
  const machines = buildMachines(plan, { ...options, faultSets: faults, fabric });
  restorePorts(fabric, options.snapshot?.ports ?? []);
  restoreMachines(machines, options.snapshot);
  const service = await openService(machines, options);
  const bmcs = plan.servers.map((server, index) =>
    describeBmc(server, { ...service, machine: at(machines, index), endpoint: at(service.endpoints, index) }),
  );
  const { agent: target, provisioningVlan, doesFallBackToNetwork } = options;
  const surroundings = { bmcs, fabric, clock, target, provisioningVlan, doesFallBackToNetwork };
  const hosts = await startHosts(surroundings).catch(async (error: unknown) => {
    await service.close();
    throw error;
  });
  resumeHosts(hosts.all, options.snapshot);
  return {
    seed,
    fleet: fleetIdentity(options),
    clock,
    bmcs,
    caPem: service.certificates?.caPem,
    bmc: findByName(bmcs),
    setFaults: (rules) => faults.replace(rules),
    get faults() {
      return faults.rules;
    },
    fabric,
    hosts: hosts.all,
    setAgent: (target) => hosts.setTarget(target),
    async close() {
      await Promise.all([hosts.close(), service.close()]);
      closeClock();
    },
  };
}

function timed(personality: Personality, { timings }: DataCentreOptions): Personality {
  return timings === undefined ? personality : { ...personality, timings: { ...personality.timings, ...timings } };
}

interface MachineSurroundings extends DataCentreOptions {
  readonly clock: SimClock;
  readonly faultSets: FaultSets;
  readonly fabric: Fabric;
}

function buildMachines(
  plan: FleetPlan,
  { clock, seed, fabric, faultSets, arePoweredOn, variation, imageTimeoutMs }: MachineSurroundings,
): Machine[] {
  const images = createImageDigests();
  const varied = variation === undefined ? {} : { variation };
  const download = createHttpDownloader(imageTimeoutMs === undefined ? {} : { timeoutMs: imageTimeoutMs });
  const shared = { clock, seed, faults: faultSets, images, download, ...varied };
  return plan.servers.map(({ name, personality, hardware, username, password }) =>
    createMachine({
      ...shared,
      name,
      personality,
      hardware,
      username,
      password,
      neighbourOf: (mac) => fabric.neighbourOf(mac),
      isPoweredOn: arePoweredOn ?? false,
    }),
  );
}

/** Before anybody can ask: a BMC never shows a state that it did not leave off with. */
function restoreMachines(machines: readonly Machine[], snapshot: Snapshot | undefined): void {
  for (const machine of machines) {
    const saved = snapshot?.servers[machine.name];
    if (saved !== undefined) machine.restore(saved.machine);
  }
}

function resumeHosts(hosts: readonly Host[], snapshot: Snapshot | undefined): void {
  for (const host of hosts) {
    const saved = snapshot?.servers[host.machine.name];
    if (saved === undefined) continue;
    host.resume(saved.disk);
    host.machine.resume();
  }
}

function findByName(bmcs: readonly RunningBmc[]): (name: string) => RunningBmc {
  const byName = new Map(bmcs.map((bmc) => [bmc.name, bmc]));
  return (name) => {
    const found = byName.get(name);
    if (found === undefined) throw new RangeError(`there is no server "${name}": the first one is ${bmcs[0]?.name}`);
    return found;
  };
}

interface Service {
  readonly certificates: Certificates | undefined;
  readonly endpoints: readonly Endpoint[];
  close(): Promise<void>;
}

async function openService(machines: readonly Machine[], options: DataCentreOptions): Promise<Service> {
  const certificates = options.isPlain === true ? undefined : await createCertificates(systemClock);
  const front = createFront({
    routes: sharedRoutes,
    doesLogReads: options.doesLogReads ?? false,
    doesLogCallers: options.doesLogCallers ?? false,
    reset: (connection) => listeners.reset(connection),
    onBug: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  });
  const listeners = new Listeners({ certificates, answer: (...request) => front.answer(...request) });
  const endpoints = await openFleet(listeners, machines, options);
  const push = createEventPush();
  for (const machine of machines) {
    push.watch(machine);
    machine.manager.onAway(() => listeners.resetAll(machine, front.isActing));
  }
  return {
    certificates,
    endpoints,
    async close() {
      push.close();
      await listeners.close();
    },
  };
}

function describeBmc(
  { name, username }: PlannedServer,
  place: { readonly machine: Machine; readonly endpoint: Endpoint; readonly certificates: Certificates | undefined },
): RunningBmc {
  const { machine, endpoint, certificates } = place;
  return {
    name,
    username,
    get password() {
      return machine.accounts.password;
    },
    url: urlOf(endpoint, certificates === undefined ? 'http' : 'https'),
    systemPath: `/redfish/v1/Systems/${machine.personality.ids.system}`,
    machine,
    fingerprint: async () => certificates?.fingerprintOf(machine, endpoint.address),
  };
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`there is no element ${index} in a list of ${list.length}`);
  return found;
}
