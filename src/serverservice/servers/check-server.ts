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
  const fields: ServerFields = {
    name: trimmed(draft.name),
    facility: trimmed(draft.facility),
    vendor: trimmed(draft.vendor),
    model: trimmed(draft.model),
    serial: trimmed(draft.serial),
    bmcId: trimmed(draft.bmcId),
    bmcAddress: toOneSpelling(trimmed(draft.bmcAddress)),
    macs: [...new Set((draft.macs ?? []).map((one) => one.trim().toLowerCase().replaceAll('-', ':')))],
  };
  const problems = problemsOf(fields);
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'server' }, { problems });
  return fields;
}

/** Hosts have no case; the path of a system behind a BMC does. */
function toOneSpelling(address: string): string {
  const [origin = ''] = /^(?:[^/]*:\/\/)?[^/]*/.exec(address) ?? [];
  return origin.toLowerCase() + address.slice(origin.length);
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
