import type { Hardware } from '../machine/hardware.ts';
import type { Neighbour } from '../machine/machine.ts';
import type { Personality } from '../personalities/personality.ts';
import { createRandom } from '../time/random.ts';
import { cableServer, managementName, type PlannedCable, type PlannedSwitch, torName } from './cabling.ts';
import { chassisIdOf } from './chassis-id.ts';
import { type Credentials, drawCredentials } from './credentials.ts';
import { FleetError } from './errors.ts';

/** Servers a rack holds unless the number of racks is given. */
const serversPerRack = 40;
const mostServers = 60_000;

/** What fleet to plan. */
export interface FleetOrder {
  readonly seed: number;
  readonly servers: number;
  /** As many as are needed for 40 servers each unless given. */
  readonly racks?: number;
  /** Cycled through. */
  readonly personalities: readonly Personality[];
}

/** One server of the plan. */
export interface PlannedServer extends Credentials {
  /** Counted from 0. */
  readonly index: number;
  /** `r01-s03`. */
  readonly name: string;
  /** Counted from 1. */
  readonly rack: number;
  /** In its rack, counted from 1 at the bottom. */
  readonly position: number;
  readonly personality: Personality;
  readonly model: string;
  readonly hardware: Hardware;
}

/** Who stands where, and what is plugged in where. */
export interface FleetPlan {
  readonly servers: readonly PlannedServer[];
  readonly switches: readonly PlannedSwitch[];
  readonly cables: readonly PlannedCable[];
  /** The switch port a NIC or a BMC is plugged into, however its MAC is spelled. */
  neighbourOf(mac: string): Neighbour | undefined;
}

/** How many racks a fleet has: as given, or as many as its servers need. */
export function countRacks({ racks, servers }: Pick<FleetOrder, 'racks' | 'servers'>): number {
  return racks ?? Math.ceil(servers / serversPerRack);
}

/** Plans a fleet; the same order gives the same plan. */
export function planFleet(order: FleetOrder): FleetPlan {
  const racks = countRacks(order);
  check(order, racks);
  const servers = placeAll(order, racks).map((place) => describeServer(order, place));
  const portsPerTor = Math.max(1, ...servers.map(({ hardware }) => Math.ceil(countPorts(hardware) / 2)));
  const rackName = (rack: number): string => `r${pad(rack, racks)}`;
  const cables = servers.flatMap((server) =>
    cableServer({ ...server, rackName: rackName(server.rack) }, server.hardware, portsPerTor),
  );
  const byMac = new Map(cables.map((cable) => [cable.mac.toLowerCase(), cable]));
  return {
    servers,
    switches: Array.from({ length: racks }, (_, at) => at + 1).flatMap((rack) => {
      const height = servers.filter((server) => server.rack === rack).length;
      return switchesOf(rackName(rack), { rack, height, portsPerTor });
    }),
    cables,
    neighbourOf(mac) {
      const cable = byMac.get(mac.toLowerCase());
      if (cable === undefined) return undefined;
      const { switchName, port } = cable;
      return { chassisId: chassisIdOf(switchName), systemName: switchName, portId: port };
    },
  };
}

function check(order: FleetOrder, racks: number): void {
  const { servers, personalities } = order;
  if (!Number.isInteger(servers) || servers < 1 || servers > mostServers) {
    throw new FleetError('NoServers', { given: servers, most: mostServers });
  }
  if (!Number.isInteger(racks) || racks < 1 || racks > servers)
    throw new FleetError('BadRacks', { given: racks, servers });
  if (personalities.length === 0) throw new FleetError('NoPersonalities');
}

interface Place {
  readonly index: number;
  readonly rack: number;
  readonly position: number;
  readonly name: string;
}

/** Racks are filled one after the other and differ by one server at most. */
function placeAll(order: FleetOrder, racks: number): Place[] {
  const places: Place[] = [];
  for (let rack = 1; rack <= racks; rack++) {
    const height = Math.floor(order.servers / racks) + (rack <= order.servers % racks ? 1 : 0);
    for (let position = 1; position <= height; position++) {
      const name = `r${pad(rack, racks)}-s${pad(position, height)}`;
      places.push({ index: places.length, rack, position, name });
    }
  }
  return places;
}

function describeServer(order: FleetOrder, place: Place): PlannedServer {
  const personality = order.personalities[place.index % order.personalities.length];
  if (personality === undefined) throw new FleetError('NoPersonalities');
  const random = createRandom(order.seed, place.name, 'hardware');
  const model = personality.models[Math.floor(random() * personality.models.length)] ?? personality.manufacturer;
  const credentials = drawCredentials({ seed: order.seed, name: place.name, personality: personality.name });
  const hardware = personality.describe({ model, index: place.index, random });
  return { ...place, ...credentials, personality, model, hardware };
}

function switchesOf(rackName: string, size: { rack: number; height: number; portsPerTor: number }): PlannedSwitch[] {
  const { rack, height, portsPerTor } = size;
  return [
    { name: torName(rackName, 'a'), role: 'tor', rack, ports: height * portsPerTor },
    { name: torName(rackName, 'b'), role: 'tor', rack, ports: height * portsPerTor },
    { name: managementName(rackName), role: 'management', rack, ports: height },
  ];
}

function countPorts(hardware: Hardware): number {
  return hardware.nics.reduce((sum, nic) => sum + nic.ports.length, 0);
}

function pad(number: number, most: number): string {
  return String(number).padStart(Math.max(2, String(most).length), '0');
}
