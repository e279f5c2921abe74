import type { NetworkPort, VendorName } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  barePath,
  collect,
  firstTextIn,
  isAbsent,
  lastSegment,
  linkIn,
  linksIn,
  type Member,
  numberIn,
  objectIn,
  type Reading,
  readMembers,
  type System,
  textIn,
  textsIn,
} from '../redfish/index.ts';
import { type Neighbour, neighbourIn, readDellNeighbours } from './lldp.ts';
import { toMac } from './mac.ts';

/** What one resource says of an interface; several say something of the same. */
interface Sighting {
  readonly id: string;
  readonly mac: string;
  readonly adapter: string | undefined;
  readonly isLinkUp: boolean | undefined;
  readonly speedMbps: number | undefined;
  readonly neighbour: Neighbour | undefined;
}

/** The network interfaces of a host, each once by its MAC, as interfaces, ports and functions together show them. */
export async function readPorts(
  reading: Reading,
  system: System,
  about: { readonly adapters: readonly Member[]; readonly vendor: VendorName },
): Promise<NetworkPort[]> {
  const interfaces = await collect(reading, linkIn(system.body, 'EthernetInterfaces'));
  const sightings = interfaces.flatMap(({ path, body }) => interfaceSighting(path, body));
  for (const adapter of about.adapters) {
    sightings.push(...(await adapterSightings(reading, adapter)));
  }
  const merged = merge(sightings);
  if (merged.length === 0 || merged.every(({ neighbour }) => neighbour !== undefined)) return merged;
  const heard = await readDellNeighbours(reading, system, about.vendor);
  return merged.map((port) => ({ ...port, neighbour: port.neighbour ?? heardBy(heard, port.id) }));
}

/** Dell names ports with (`NIC.Slot.1-1-1`) and without (`NIC.Slot.1-1`) the partition. */
function heardBy(heard: ReadonlyMap<string, Neighbour>, id: string): Neighbour | undefined {
  return heard.get(id) ?? heard.get(`${id}-1`) ?? heard.get(id.replace(/-1$/, ''));
}

function interfaceSighting(path: string, body: JsonObject): readonly Sighting[] {
  const id = textIn(body, 'Id') ?? lastSegment(path);
  const mac = toMac(textIn(body, 'MACAddress')) ?? toMac(textIn(body, 'PermanentMACAddress'));
  // The cable to the BMC inside of the machine, and VLANs, are no ports of the host.
  const isInner = /^(?:ToManager|vEth|usb)/i.test(id) || textIn(body, 'EthernetInterfaceType') === 'Virtual';
  if (mac === undefined || isInner || isAbsent(body)) return [];
  return [{ id, mac, adapter: undefined, isLinkUp: linkState(body), speedMbps: speed(body), neighbour: undefined }];
}

/** The network adapters of a machine, each once. */
export async function readAdapters(
  reading: Reading,
  about: { readonly chassis: readonly Member[]; readonly vendor: VendorName },
): Promise<readonly Member[]> {
  const found = new Map<string, Member>();
  for (const { body } of about.chassis) {
    const path = linkIn(body, 'NetworkAdapters');
    if (path === undefined) continue;
    for (const adapter of await readAdaptersAt(reading, path, about.vendor)) found.set(barePath(adapter.path), adapter);
  }
  return [...found.values()].filter(({ body }) => !isAbsent(body));
}

async function readAdaptersAt(reading: Reading, path: string, vendor: VendorName): Promise<readonly Member[]> {
  try {
    return await readMembers(reading, path);
  } catch (error) {
    if (vendor === 'hpe' && isBmcError(error) && error.status === 400) {
      const reason = `HPE shows network adapters only after the host's self-test (POST) is over: ${error.message}`;
      reading.addGap({ path, reason });
      return [];
    }
    reading.note(path, error);
    return [];
  }
}

/** Ports tell most; the functions are asked only where a port does not say its MAC. */
async function adapterSightings(reading: Reading, adapter: Member): Promise<readonly Sighting[]> {
  const id = textIn(adapter.body, 'Id') ?? lastSegment(adapter.path);
  const ports = await collect(reading, linkIn(adapter.body, 'Ports') ?? linkIn(adapter.body, 'NetworkPorts'));
  const sightings = ports.map((port) => ({ port, sighting: portSighting(port, id) }));
  const isComplete = ports.length > 0 && sightings.every(({ sighting }) => sighting !== undefined);
  const functions = isComplete ? [] : await collect(reading, linkIn(adapter.body, 'NetworkDeviceFunctions'));
  return [
    ...sightings.flatMap(({ sighting }) => (sighting === undefined ? [] : [sighting])),
    ...functions.flatMap((each) => functionSighting(each, ports, id)),
  ];
}

/** Partitions share a port: its first MAC is the one it boots with. */
function portMac(body: JsonObject): string | undefined {
  const ethernet = objectIn(body, 'Ethernet');
  const texts = [...textsIn(ethernet, 'AssociatedMACAddresses'), ...textsIn(body, 'AssociatedNetworkAddresses')];
  return texts.map(toMac).find((mac) => mac !== undefined);
}

function portSighting({ path, body }: Member, adapter: string): Sighting | undefined {
  const mac = portMac(body);
  if (mac === undefined) return undefined;
  const id = textIn(body, 'Id') ?? lastSegment(path);
  return { id, mac, adapter, isLinkUp: linkState(body), speedMbps: speed(body), neighbour: neighbourIn(body) };
}

function functionSighting({ path, body }: Member, ports: readonly Member[], adapter: string): readonly Sighting[] {
  const ethernet = objectIn(body, 'Ethernet');
  const mac = toMac(textIn(ethernet, 'MACAddress')) ?? toMac(textIn(ethernet, 'PermanentMACAddress'));
  if (mac === undefined) return [];
  const port = portOfFunction(body, ports) ?? {};
  return [
    {
      id: textIn(body, 'Id') ?? lastSegment(path),
      mac,
      adapter,
      isLinkUp: linkState(port),
      speedMbps: speed(port),
      neighbour: neighbourIn(port),
    },
  ];
}

function portOfFunction(body: JsonObject, ports: readonly Member[]): JsonObject | undefined {
  const links = objectIn(body, 'Links');
  const named = [
    linkIn(links, 'PhysicalPortAssignment'),
    linkIn(links, 'PhysicalNetworkPortAssignment'),
    linkIn(body, 'PhysicalPortAssignment'),
    ...linksIn(body, 'AssignablePhysicalPorts').slice(0, 1),
    ...linksIn(body, 'AssignablePhysicalNetworkPorts').slice(0, 1),
  ].find((link) => link !== undefined);
  return ports.find(({ path }) => named !== undefined && barePath(path) === barePath(named))?.body;
}

function linkState(body: JsonObject): boolean | undefined {
  const word = firstTextIn(body, 'LinkStatus')?.toLowerCase();
  if (word === 'linkup' || word === 'up') return true;
  return word === 'linkdown' || word === 'down' || word === 'nolink' ? false : undefined;
}

function speed(body: JsonObject): number | undefined {
  const gbps = numberIn(body, 'CurrentSpeedGbps');
  const mbps = numberIn(body, 'SpeedMbps') ?? numberIn(body, 'CurrentLinkSpeedMbps');
  const found = gbps === undefined ? mbps : gbps * 1000;
  return found !== undefined && found > 0 && found < 10_000_000 ? Math.round(found) : undefined;
}

/** One port per MAC. The first sighting names it, later ones add what it left open. Names are made unique. */
function merge(sightings: readonly Sighting[]): NetworkPort[] {
  const byMac = new Map<string, Sighting>();
  for (const next of sightings) {
    const known = byMac.get(next.mac);
    byMac.set(next.mac, known === undefined ? next : together(known, next));
  }
  const ports = [...byMac.values()];
  const counts = Map.groupBy(ports, ({ id }) => id);
  return ports.map((port) => ((counts.get(port.id)?.length ?? 0) > 1 ? { ...port, id: uniqueId(port) } : port));
}

function together(known: Sighting, next: Sighting): Sighting {
  return {
    ...known,
    adapter: known.adapter ?? next.adapter,
    isLinkUp: known.isLinkUp ?? next.isLinkUp,
    speedMbps: known.speedMbps ?? next.speedMbps,
    neighbour: known.neighbour ?? next.neighbour,
  };
}

function uniqueId({ adapter, id, mac }: Sighting): string {
  return adapter === undefined ? `${id}-${mac}` : `${adapter}-${id}`;
}
