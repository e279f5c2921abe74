import { createHash } from 'node:crypto';
import type { Firmware, ServerFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { partKey, partName } from '../../flasher/index.ts';
import { entryKey, type Ownership } from '../fleet/ownership.ts';
import type { CompareVersions, VersionRelation } from '../ports.ts';

/** The name the BIOS goes by among the firmwares of a request. */
export const biosName = 'bios';

/** One firmware that is not as it should be. */
export interface Difference extends Firmware {
  /** Undefined where the last scan saw none. */
  readonly installed: string | undefined;
  /** `contradictory`: another entry means the same part and wants another version. */
  readonly relation: VersionRelation | 'missing' | 'contradictory';
  /** True when the entry came from a group. */
  readonly isFromGroup: boolean;
}

type OwnedSpec = Pick<ServerFirmware, 'spec' | 'status'> & { readonly ownership: Ownership };

/**
 * Everything wanted on a server. A BIOS that only follows the server is no wish: whatever is installed is right, and asking
 * for what the server had before would take an update back that somebody made by hand.
 */
export function desiredOf(
  { spec, ownership }: OwnedSpec,
  serverManufacturer: string | undefined,
): readonly (Firmware & { readonly isFromGroup: boolean })[] {
  const bios =
    spec.bios === undefined || !ownership.isBiosTaken
      ? []
      : [{ name: biosName, manufacturer: serverManufacturer ?? '', version: spec.bios.version, isFromGroup: false }];
  const others = (spec.firmwares ?? []).map((entry) => {
    const key = entryKey(entry);
    return { ...entry, isFromGroup: ownership.groupEntries.has(key) && !ownership.otherEntries.has(key) };
  });
  return [...bios, ...others];
}

/** What is installed, by part: spellings of one component or maker are one. */
function installedBy(status: ServerFirmwareStatus | undefined, serverManufacturer: string): Map<string, string> {
  const all = new Map((status?.firmwares ?? []).map((entry) => [partKey(entry), entry.version]));
  const bios = status?.bios?.version;
  if (bios !== undefined) all.set(partKey({ name: biosName, manufacturer: serverManufacturer }), bios);
  return all;
}

type Wish = ReturnType<typeof desiredOf>[number];

/** What differs between what is wanted and what was last seen installed. */
export function differencesOf(
  firmware: OwnedSpec,
  serverManufacturer: string | undefined,
  compare: CompareVersions,
): readonly Difference[] {
  const installed = installedBy(firmware.status, serverManufacturer ?? '');
  const parts = Map.groupBy(desiredOf(firmware, serverManufacturer), partKey);
  return [...parts].flatMap(([part, wishes]): Difference[] => {
    const version = installed.get(part);
    const [wish, ...others] = wishes;
    if (wish === undefined) return [];
    if (others.some((other) => relationOf(wish, other.version, compare) !== 'same')) {
      return wishes.map((each) => ({ ...each, installed: version, relation: 'contradictory' }));
    }
    // Entries that want the same of one part are one wish, however they are written.
    const relation = relationOf(wish, version, compare);
    if (relation === 'same') return [];
    const isFromGroup = wishes.every((each) => each.isFromGroup);
    return [{ ...wish, isFromGroup, installed: version, relation }];
  });
}

function relationOf(
  { manufacturer, name, version: wanted }: Wish,
  installed: string | undefined,
  compare: CompareVersions,
): VersionRelation | 'missing' {
  if (installed === undefined) return 'missing';
  return compare({ manufacturer, component: partName(name), wanted, installed });
}

/** Names a desired list: equal for lists that ask for the same, in any order and spelling of components and makers. */
export function desiredHash(wishes: readonly Firmware[]): string {
  const lines = wishes.map((wish) => JSON.stringify([partKey(wish), wish.version]));
  return createHash('sha256')
    .update([...new Set(lines)].toSorted().join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** A difference in words. */
export function describeDifference({ name, manufacturer, version, installed, relation }: Difference): string {
  const maker = manufacturer === '' ? '' : ` (${manufacturer})`;
  if (relation === 'contradictory') {
    return `${name}${maker} should be ${version}, and another entry for the same firmware says otherwise; keep one of them`;
  }
  return installed === undefined
    ? `${name}${maker} should be ${version}, and the last scan saw none`
    : `${name}${maker} should be ${version} and is ${installed}`;
}
