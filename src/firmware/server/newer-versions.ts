import type { PartFirmware } from '../../api/index.ts';
import { getProductsOf, selectorKey } from '../../parts/index.ts';
import type { CompareVersions } from '../ports.ts';
import { productsOf } from './available-products.ts';
import { classOf } from './desired.ts';
import { partsOf } from './differences.ts';
import type { ServerSeen } from './server-facts.ts';

/** A version that is newer than what a part has. */
export interface NewerVersion extends PartFirmware {
  readonly installed: string;
}

/** The newest available version of each installed part that has an older one. */
export function findNewerVersions({
  firmware: { status },
  server,
  discovered,
  compare,
}: Pick<ServerSeen, 'firmware' | 'server' | 'discovered' | 'compare'>): readonly NewerVersion[] {
  const manufacturer = server?.status?.manufacturer ?? '';
  const products = productsOf(discovered);
  return partsOf(status, manufacturer).flatMap((part) => {
    const version = getProductsOf(products, part, manufacturer)
      .flatMap(({ versions }) => newerThan(part, versions, compare))
      .at(-1);
    return version === undefined ? [] : [{ ...part, version, installed: part.version }];
  });
}

/** Of a list that has the oldest first, what comes after the installed version; else what its vendor's scheme calls newer. */
function newerThan(part: PartFirmware, versions: readonly string[], compare: CompareVersions): readonly string[] {
  const question = { manufacturer: part.manufacturer, component: classOf(part), installed: part.version };
  const relations = versions.map((wanted) => compare({ ...question, wanted }));
  const at = relations.lastIndexOf('same');
  return at >= 0 ? versions.slice(at + 1) : versions.filter((_, index) => relations[index] === 'newer');
}

const mostShown = 5;

function versionKey({ softwareId = '', version, ...part }: NewerVersion): string {
  return JSON.stringify([selectorKey({ ...part, softwareId, slot: '' }), version]);
}

/** How many newer versions there are, in words. A version that is for several equal parts is one. */
export function describeNewer(newer: readonly NewerVersion[]): string {
  const versions = [...Map.groupBy(newer, versionKey).values()];
  if (versions.length === 0) return 'No newer version is known to be available.';
  const shown = versions.slice(0, mostShown).flatMap((parts) => {
    const [first, ...others] = parts;
    if (first === undefined) return [];
    const installed = [...new Set(parts.map((part) => part.installed))].join(', ');
    const has = others.length === 0 ? `has ${installed}` : `${parts.length} parts have ${installed}`;
    return [`${first.name} ${first.version} (${has})`];
  });
  const more = versions.length > mostShown ? `, and ${versions.length - mostShown} more` : '';
  const count = versions.length === 1 ? '1 newer version is' : `${versions.length} newer versions are`;
  return `${count} available: ${shown.join(', ')}${more}.`;
}
