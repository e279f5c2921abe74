import type { Clock } from '../../kube/index.ts';
import type { Bmc, Inventory } from '../bmc.ts';
import {
  bareRoot,
  beginReading,
  collect,
  firstTextIn,
  linkIn,
  linksIn,
  listCollection,
  type Member,
  objectIn,
  type Reading,
  type System,
  textIn,
  timeIn,
} from '../redfish/index.ts';
import { toMac } from './mac.ts';

/** The manager of a system: the one it names, or the only one of the BMC; undefined when it cannot be read. */
export async function managerOf(bmc: Bmc, system: System): Promise<Member | undefined> {
  return readManager(beginReading(bmc), system);
}

/** The same within a longer reading. */
export async function readManager(reading: Reading, system: System): Promise<Member | undefined> {
  const named = linksIn(objectIn(system.body, 'Links'), 'ManagedBy');
  const managers: Member[] = [];
  for (const path of named.slice(0, mostManagers)) {
    const body = await reading.get(path);
    if (body !== undefined) managers.push({ path, body });
  }
  if (managers.length === 0) managers.push(...(await unnamed(reading)));
  return managers.find(({ body }) => textIn(body, 'ManagerType') === 'BMC') ?? managers[0];
}

const mostManagers = 4;

async function unnamed(reading: Reading): Promise<readonly Member[]> {
  const { managers: path } = await bareRoot(reading.bmc);
  if (path === undefined) return [];
  try {
    const found: Member[] = [];
    for (const { path: each, body } of (await listCollection(reading, path)).slice(0, mostManagers)) {
      const whole = body ?? (await reading.get(each));
      if (whole !== undefined) found.push({ path: each, body: whole });
    }
    return found;
  } catch (error) {
    reading.note(path, error);
    return [];
  }
}

/** What the inventory says of a manager, with the MACs of its own interfaces. */
export async function describeManager(reading: Reading, manager: Member): Promise<Inventory['manager']> {
  const clockOffsetMs = clockOffset(manager, reading.bmc.clock);
  const interfaces = await collect(reading, linkIn(manager.body, 'EthernetInterfaces'));
  const macs = interfaces.map(({ body }) => toMac(firstTextIn(body, 'MACAddress', 'PermanentMACAddress')));
  return {
    path: manager.path,
    firmwareVersion: textIn(manager.body, 'FirmwareVersion'),
    model: textIn(manager.body, 'Model'),
    macs: [...new Set(macs.filter((mac) => mac !== undefined))],
    clockOffsetMs,
  };
}

function clockOffset({ body }: Member, clock: Clock): number | undefined {
  const theirs = timeIn(body, 'DateTime');
  return theirs === undefined ? undefined : theirs - clock.now();
}
