import type { Bmc } from '../bmc.ts';
import {
  bareRoot,
  beginReading,
  firstTextIn,
  linksIn,
  objectIn,
  type Reading,
  type System,
  systemOf,
  textIn,
} from '../redfish/index.ts';
import { machineIdFrom, usableUuid } from './machine-id.ts';
import { readManager } from './manager.ts';

/** What a machine is known by. What nobody knows is left out. */
export interface KnownMachine {
  /** The id that its BMC told: its System UUID, or what stands for it. */
  readonly uuid?: string;
  readonly serial?: string;
}

/** What is of use of it. */
interface Marks {
  readonly uuid: string | undefined;
  readonly serial: string | undefined;
}

/** What is known of a machine and what was found in its place, in words. */
export interface OtherMachine {
  readonly known: string;
  readonly found: string;
}

/**
 * What machine a BMC is in, if it is not the known one; undefined where it is, and where nothing can be compared. UUIDs
 * decide where both are told: nodes of one enclosure may share a serial number. The system is read unless it was just now.
 * Throws BmcErrors.
 */
export async function findOtherMachine(
  bmc: Bmc,
  known: KnownMachine,
  read?: System,
): Promise<OtherMachine | undefined> {
  const wanted = { uuid: usableUuid(known.uuid), serial: usableSerial(known.serial) };
  if (wanted.uuid === undefined && wanted.serial === undefined) return undefined;
  const system = read ?? (await systemOf(bmc));
  const told = {
    uuid: usableUuid(textIn(system.body, 'UUID')),
    serial: usableSerial(firstTextIn(system.body, 'SerialNumber', 'ServiceTag')),
  };
  const verdict = compare(wanted, told);
  if (verdict === undefined) return undefined;
  // A few reads more, only where it would be refused otherwise.
  const reading = beginReading(bmc);
  if (wanted.uuid !== undefined && (await madeIds(reading, system)).includes(wanted.uuid)) return undefined;
  if (verdict === 'serial' && (await otherSerials(reading, system)).some((each) => isSameSerial(each, wanted.serial)))
    return undefined;
  return { known: describe(wanted), found: describe(told) };
}

/** By what two machines differ; undefined where they do not, as far as can be told. */
function compare(wanted: Marks, told: Marks): 'uuid' | 'serial' | undefined {
  if (wanted.uuid !== undefined && told.uuid !== undefined)
    return isSameUuid(wanted.uuid, told.uuid) ? undefined : 'uuid';
  if (wanted.serial === undefined || told.serial === undefined) return undefined;
  return isSameSerial(wanted.serial, told.serial) ? undefined : 'serial';
}

/** True for one UUID in both of its spellings: SMBIOS has the first three fields little-endian, and some BMCs tell them so. */
export function isSameUuid(one: string, other: string): boolean {
  const [first, second] = [usableUuid(one), usableUuid(other)];
  return first !== undefined && second !== undefined && (first === second || first === byteSwapped(second));
}

function byteSwapped(uuid: string): string {
  const [low = '', mid = '', high = '', ...rest] = uuid.split('-');
  return [...[low, mid, high].map((field) => (field.match(/../g) ?? []).reverse().join('')), ...rest].join('-');
}

/** What vendors leave where nobody wrote a serial number. */
const placeholder =
  /^(?:n\/?a|none|null|nil|unknown|undefined|empty|invalid|default( string)?|not? (?:specified|available|applicable|set|present|asset.*)|to be filled.*|o\.?e\.?m\.?|(?:system|chassis|base ?board|product)? ?serial ?(?:number|no\.?)?)$/;

/** A serial number without spaces around it; undefined for those that many machines have. */
export function usableSerial(value: string | undefined): string | undefined {
  const serial = value?.trim() ?? '';
  const plain = serial.toLowerCase();
  const isRepeated = /^(.)\1*$/.test(plain.replaceAll(/[\s._-]/g, ''));
  const isCounted =
    plain.length >= 4 && ['01234567890123456789', '12345678901234567890'].some((all) => all.startsWith(plain));
  const isNone = !/[\p{L}\p{N}]/u.test(plain);
  return isNone || isRepeated || isCounted || placeholder.test(plain) ? undefined : serial;
}

function isSameSerial(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

/** The ids that a machine may go by where its UUID is of no use or another has it too, see `machineIdOf`. */
async function madeIds(reading: Reading, system: System): Promise<readonly string[]> {
  const manager = (await readManager(reading, system))?.body ?? {};
  const rootUuid = (await bareRoot(reading.bmc)).uuid;
  const stems = [
    firstTextIn(manager, 'SerialNumber', 'ServiceTag'),
    ...[textIn(manager, 'UUID'), rootUuid].flatMap((each) => [each, usableUuid(each)]),
    textIn(system.body, 'SerialNumber'),
  ];
  return stems.flatMap((bmcSerial) => machineIdFrom({ uuid: undefined, bmcSerial, systemPath: system.path }) ?? []);
}

const mostChassis = 4;

/** What else may be on the label: Dell's service tag is the SKU, and others tell the number of the chassis there only. */
async function otherSerials(reading: Reading, { body }: System): Promise<readonly string[]> {
  const serials = [textIn(body, 'SKU')];
  for (const path of linksIn(objectIn(body, 'Links'), 'Chassis').slice(0, mostChassis)) {
    const chassis = (await reading.get(path)) ?? {};
    serials.push(textIn(chassis, 'SerialNumber'), textIn(chassis, 'SKU'));
  }
  return serials.flatMap((each) => usableSerial(each) ?? []);
}

function describe({ uuid, serial }: Marks): string {
  const parts = [
    ...(uuid === undefined ? [] : [`UUID ${uuid}`]),
    ...(serial === undefined ? [] : [`serial number ${serial}`]),
  ];
  return parts.join(' and ');
}
