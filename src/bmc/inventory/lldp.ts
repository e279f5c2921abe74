import type { NetworkPort, VendorName } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  childPath,
  firstTextIn,
  linkIn,
  objectIn,
  type Reading,
  readMembers,
  type System,
  textIn,
} from '../redfish/index.ts';

/** What is plugged in at the other end. */
export type Neighbour = NonNullable<NetworkPort['neighbour']>;

/** What BMCs write where they know nothing. */
const emptyWords = /^(?:no ?link|not ?(?:available|supported|applicable)|unknown|n\/?a|none|-|0+)$/i;

function known(text: string | undefined): string | undefined {
  return text === undefined || emptyWords.test(text) ? undefined : text;
}

/** What a port heard by LLDP. */
export function neighbourIn(port: JsonObject): Neighbour | undefined {
  const heard = objectIn(port, 'Ethernet', 'LLDPReceive');
  const chassisId = known(decoded(textIn(heard, 'ChassisId'), textIn(heard, 'ChassisIdSubtype')));
  const portId = known(decoded(textIn(heard, 'PortId'), textIn(heard, 'PortIdSubtype')));
  if (chassisId === undefined || portId === undefined) return undefined;
  const systemName = known(textIn(heard, 'SystemName'));
  return { chassisId, portId, ...(systemName === undefined ? {} : { systemName }) };
}

/** Names come as colon-separated octets from some BMCs (HPE): `45:74:68:31` is `Eth1`. MAC addresses stay as they are. */
function decoded(text: string | undefined, subtype: string | undefined): string | undefined {
  if (text === undefined || !/^[0-9a-f]{2}(?::[0-9a-f]{2})+$/i.test(text)) return text;
  if (subtype === 'MacAddr' || subtype === 'NetworkAddr') return text.toLowerCase();
  const name = Buffer.from(text.replaceAll(':', ''), 'hex').toString('latin1').replace(/\0+$/, '');
  return /^[\x20-\x7e]+$/.test(name) ? name : text.toLowerCase();
}

/**
 * What Dell keeps of its neighbours: by FQDD of the interface (`NIC.Integrated.1-1-1`), in a collection of its own whose
 * place changed between iDRAC versions.
 */
export async function readDellNeighbours(
  reading: Reading,
  system: System,
  vendor: VendorName,
): Promise<ReadonlyMap<string, Neighbour>> {
  const found = new Map<string, Neighbour>();
  if (vendor !== 'dell') return found;
  for (const path of dellPlaces(system)) {
    try {
      for (const { body } of await readMembers(reading, path)) addDell(found, body);
      return found;
    } catch (error) {
      // An iDRAC without the licence or of the other kind has nothing here; that is no gap.
      if (!isBmcError(error, 'notFound', 'refused')) reading.note(path, error);
    }
  }
  return found;
}

function dellPlaces({ path, body }: System): readonly string[] {
  const named = linkIn(objectIn(body, 'Links', 'Oem', 'Dell'), 'DellSwitchConnections');
  const usual = [
    childPath(path, 'NetworkPorts', 'Oem', 'Dell', 'DellSwitchConnections'),
    childPath(path, 'Oem', 'Dell', 'DellSwitchConnections'),
  ];
  return named === undefined ? usual : [named];
}

function addDell(found: Map<string, Neighbour>, body: JsonObject): void {
  const fqdd = firstTextIn(body, 'FQDD', 'Id');
  const chassisId = known(textIn(body, 'SwitchConnectionID'))?.toLowerCase();
  const portId = known(textIn(body, 'SwitchPortConnectionID'));
  if (fqdd === undefined || chassisId === undefined || portId === undefined) return;
  if (textIn(body, 'StaleData') === 'Stale') return;
  found.set(fqdd, { chassisId, portId });
}
