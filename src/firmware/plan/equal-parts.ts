import type { PartFirmware } from '../../api/index.ts';
import { choosesParts } from '../../bmc/index.ts';
import { selectorKey } from '../../parts/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { namesForPeople } from '../conditions.ts';
import { classOf, describeEntry } from '../server/desired.ts';
import type { Difference } from '../server/differences.ts';
import type { HardwareTraces } from './foretell-update.ts';
import type { PlanReason } from './plan.ts';

/**
 * Warns of parts that may get a version that is meant for equal ones in other slots. The BMC chooses the parts by the
 * image, and whether it writes to all of them shows only afterwards.
 */
export function warnOfEqualParts(difference: Difference, vendor: HardwareTraces['vendor']): readonly PlanReason[] {
  if (!choosesParts(vendor)) return [];
  const { parts, others, version } = difference;
  const equal = others.filter(
    (other) => !parts.includes(other) && isBehind(other, difference) && parts.some((part) => isEqual(part, other)),
  );
  if (equal.length === 0) return [];
  const [meant, also] = [parts, equal].map((list) => namesForPeople(list.map(({ slot = 'an unknown slot' }) => slot)));
  const message = `${describeEntry(difference)} ${version} is meant for ${meant} only. This BMC chooses by the image which parts it writes to and takes no targets, so equal parts may get ${version} too: ${also}. Where another entry declares another version for these, the two may undo each other.`;
  return [{ code: 'MayWriteEqualParts', message }];
}

function isBehind({ version: installed }: PartFirmware, { manufacturer, name, version: wanted }: Difference): boolean {
  return compareVersions({ manufacturer, component: classOf({ name }), wanted, installed }) !== 'same';
}

/** One image is for both: they take firmware of one id, or are of one product where the BMC shows no id. */
function isEqual(one: PartFirmware, other: PartFirmware): boolean {
  const [id, otherId] = [one.softwareId ?? '', other.softwareId ?? ''];
  if (id !== '' && otherId !== '') return id.toLowerCase() === otherId.toLowerCase();
  return selectorKey({ ...one, softwareId: '', slot: '' }) === selectorKey({ ...other, softwareId: '', slot: '' });
}
