import { createHash } from 'node:crypto';
import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { barePath, bareRoot, firstTextIn, systemOf, textIn } from '../redfish/index.ts';
import { managerOf } from './manager.ts';

/** What machine ids are made in where a system has no id of its own. It must never change. */
const idNamespace = '6f0e5d8c-52f4-4b8e-9d0b-9b1c8f0e7a55';

/** Ids that boards leave the factory with when nobody wrote one. */
const factoryUuids: ReadonlySet<string> = new Set([
  '03000200-0400-0500-0006-000700080009',
  '00020003-0004-0005-0006-000700080009',
  '00112233-4455-6677-8899-aabbccddeeff',
  '01234567-89ab-cdef-0123-456789abcdef',
  '12345678-1234-1234-1234-123456789abc',
  '12345678-1234-5678-1234-567812345678',
  '12345678-1234-5678-90ab-cddeefaabbcc',
  '78563412-3412-7856-90ab-cddeefaabbcc',
  '12345678-90ab-cdef-1234-567890abcdef',
]);

/** A UUID in its usual form; undefined for what is none and for those that many machines share. */
export function usableUuid(value: string | undefined): string | undefined {
  const digits = (value ?? '').toLowerCase().replaceAll(/^urn:uuid:|[{}\s-]/g, '');
  if (!/^[0-9a-f]{32}$/.test(digits) || isPattern(digits)) return undefined;
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return factoryUuids.has(uuid) ? undefined : uuid;
}

/** One byte all over, but for some zeros: erased flash, or a filler. */
function isPattern(digits: string): boolean {
  const bytes = new Set(digits.match(/../g));
  bytes.delete('00');
  return bytes.size <= 1;
}

/** The name-based UUID (version 5) of a text. */
export function uuidFromName(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The id of a machine from what is known of it; undefined when that is too little. */
export function machineIdFrom(known: {
  readonly uuid: string | undefined;
  readonly bmcSerial: string | undefined;
  readonly systemPath: string;
  /** Another machine has this UUID already. */
  readonly isUuidTaken?: boolean;
}): string | undefined {
  const uuid = known.isUuidTaken === true ? undefined : usableUuid(known.uuid);
  if (uuid !== undefined) return uuid;
  if (known.bmcSerial === undefined) return undefined;
  return uuidFromName(idNamespace, `${known.bmcSerial}\n${barePath(known.systemPath)}`);
}

/**
 * The id that this machine goes by: its System UUID, or where that is missing, a factory default or taken by another, a
 * UUID made of the BMC's serial number and the system's path. Throws `unsupported` when the BMC tells neither.
 */
export async function machineIdOf(bmc: Bmc, options: { readonly isUuidTaken?: boolean } = {}): Promise<string> {
  const system = await systemOf(bmc);
  const known = { uuid: textIn(system.body, 'UUID'), systemPath: system.path, ...options };
  const id =
    machineIdFrom({ ...known, bmcSerial: undefined }) ??
    machineIdFrom({ ...known, bmcSerial: await readBmcSerial(bmc, system) });
  if (id !== undefined) return id;
  const detail = `the UUID ${known.uuid ?? '(none)'} of ${system.path} is not unique and no serial number is given`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'be told from other machines', detail });
}

/** The BMC's serial number; what stands for it where it has none: its own UUID, or the serial number of the system. */
async function readBmcSerial(bmc: Bmc, system: Parameters<typeof managerOf>[1]): Promise<string | undefined> {
  const manager = await managerOf(bmc, system);
  return (
    serialIn(manager?.body) ??
    usableUuid(textIn(manager?.body ?? {}, 'UUID')) ??
    usableUuid((await bareRoot(bmc)).uuid) ??
    serialIn(system.body)
  );
}

function serialIn(body: Parameters<typeof firstTextIn>[0] | undefined): string | undefined {
  const serial = firstTextIn(body ?? {}, 'SerialNumber', 'ServiceTag');
  // Fillers that boards carry when nobody wrote a serial number.
  return serial === undefined ||
    /^(?:0+|n\/?a|none|null|unknown|default string|to be filled.*|123456789\d*)$/i.test(serial)
    ? undefined
    : serial;
}
