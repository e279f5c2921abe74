import { isBmcError, parseBmcAddress, tryParseBmcAddress } from '../../bmc/index.ts';
import { InventoryError } from '../errors.ts';
import type { ServerDraft, ServerFields } from './server.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const mac = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;
const maxText = 255;

/** What a facility's code looks like; it is also a part of the names of queues. */
export const facilityPattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';

const facility = new RegExp(facilityPattern);

/** The fields of a server in their one spelling. Throws `badValue` with all reasons. */
export function checkServer(draft: Omit<ServerDraft, 'id'>): ServerFields {
  const problems: string[] = [];
  const fields: ServerFields = {
    name: trimmed(draft.name),
    facility: trimmed(draft.facility),
    vendor: trimmed(draft.vendor),
    model: trimmed(draft.model),
    serial: trimmed(draft.serial),
    bmcId: trimmed(draft.bmcId),
    bmcAddress: canonicalAddress(trimmed(draft.bmcAddress), problems),
    systemUuid: trimmed(draft.systemUuid).toLowerCase(),
    bmcUuid: trimmed(draft.bmcUuid).toLowerCase(),
    macs: [...new Set((draft.macs ?? []).map((one) => one.trim().toLowerCase().replaceAll('-', ':')))],
  };
  problems.push(...problemsOf(fields));
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'server' }, { problems });
  return fields;
}

function canonicalAddress(text: string, problems: string[]): string {
  const problem = addressProblem(text);
  if (problem === undefined) return text === '' ? '' : parseBmcAddress(text).canonical;
  problems.push(problem);
  return text;
}

/** Why a BMC address cannot be used, and what a right one looks like; an empty one is not known yet. */
export function addressProblem(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    parseBmcAddress(text);
    return undefined;
  } catch (error) {
    if (!isBmcError(error, 'badAddress')) throw error;
    return `bmc_address: ${error.message}`;
  }
}

/** Whether an address as it is given is the one that is kept. */
export function isSameAddress(given: string, kept: string): boolean {
  const text = trimmed(given);
  return (tryParseBmcAddress(text)?.canonical ?? text) === kept;
}

function trimmed(text: string | undefined): string {
  return (text ?? '').trim();
}

function problemsOf({ macs, ...texts }: ServerFields): string[] {
  return [
    ...(facility.test(texts.facility)
      ? []
      : ['facility_code has 1 to 63 letters, digits, _ or -, and begins with a letter or digit']),
    ...Object.entries(texts)
      .filter(([, text]) => text.length > maxText)
      .map(([name]) => `${name} is longer than ${maxText} characters`),
    ...(['systemUuid', 'bmcUuid'] as const)
      .filter((name) => texts[name] !== '' && !uuid.test(texts[name]))
      .map(
        (name) => `"${texts[name]}" is not a UUID, as ${name === 'systemUuid' ? 'system_uuid' : 'bmc_uuid'} has to be`,
      ),
    ...macs.filter((one) => !mac.test(one)).map((one) => `"${one}" is not a MAC address as in 02:00:5e:10:00:01`),
  ];
}

/** An id in its one spelling. Throws `badValue` for what is no UUID or the zero one, which many machines have. */
export function checkId(id: string): string {
  const lower = id.toLowerCase();
  if (uuid.test(lower) && !/^[0-]+$/.test(lower)) return lower;
  throw new InventoryError(
    'badValue',
    { what: 'server' },
    { problems: [`"${id}" is not a UUID that names a machine`] },
  );
}
