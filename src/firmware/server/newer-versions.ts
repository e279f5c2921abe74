import type { PartFirmware } from '../../api/index.ts';
import { isProductOf } from '../../parts/index.ts';
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
    const version = products
      .filter((product) => isProductOf(product, part, manufacturer))
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

/** How many newer versions there are, in words. */
export function describeNewer(newer: readonly NewerVersion[]): string {
  if (newer.length === 0) return 'No newer version is known to be available.';
  const shown = newer
    .slice(0, mostShown)
    .map(({ name, version, installed }) => `${name} ${version} (has ${installed})`);
  const more = newer.length > mostShown ? `, and ${newer.length - mostShown} more` : '';
  const count = newer.length === 1 ? '1 newer version is' : `${newer.length} newer versions are`;
  return `${count} available: ${shown.join(', ')}${more}.`;
}
