import type { Selected } from './offers.ts';
import { isPartOfServer, isSelected, partName, selectorKey } from './parts.ts';

/** A part of a server and the version of its firmware, as a ServerFirmware lists it. */
export interface PartVersion {
  readonly name: string;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly otherSoftwareIds?: readonly string[] | undefined;
  readonly slot?: string | undefined;
  readonly version?: string | undefined;
}

/** Parts of one product, which take the same firmware. */
export type ProductParts = readonly [PartVersion, ...PartVersion[]];

/** The parts of a server by product, in the order in which they are listed. */
export function groupByProduct(parts: readonly PartVersion[]): readonly ProductParts[] {
  const keyOf = (part: PartVersion) => selectorKey({ ...withMaker(part), slot: '' });
  return [...Map.groupBy(parts, keyOf).values()] as unknown as readonly ProductParts[];
}

/** A part as the rules of the controllers read it. */
export function withMaker<T extends PartVersion>(part: T): T & { readonly manufacturer: string } {
  return { ...part, manufacturer: part.manufacturer ?? '' };
}

/** The maker of a server, which its own firmware has; empty where no part shows it. */
export function serverMaker(parts: readonly PartVersion[]): string {
  return parts.find(({ name, manufacturer }) => isPartOfServer(partName(name)) && manufacturer)?.manufacturer ?? '';
}

/** The versions of some parts, each once. */
export function versionsOf(parts: readonly PartVersion[]): readonly string[] {
  return [...new Set(parts.map(({ version = '' }) => version))];
}

/** What the products of a server are chosen from. */
export interface ProductChoice {
  readonly products: readonly ProductParts[];
  /** Empty where it is not known. */
  readonly serverManufacturer: string;
  readonly hasVersion: (product: ProductParts, version: string) => boolean;
}

/**
 * The products that an entry is for. The maker of the server stands for all parts, and while it is not known any maker
 * does that no part has: then the versions tell which product is meant, and where they do not it is any of them. An entry
 * with a model that no part has names a published product: only the versions tell which one.
 */
export function productsFor(
  entry: Partial<Selected> & { readonly name: string; readonly version?: string | undefined },
  { products, serverManufacturer, hasVersion }: ProductChoice,
): readonly ProductParts[] {
  const { manufacturer = '', version = '' } = entry;
  const select = (selector: typeof entry) =>
    products.filter((parts) =>
      parts.some((part) => isSelected({ manufacturer, ...selector }, withMaker(part), serverManufacturer)),
    );
  const made = select(entry);
  const meant = made.length > 0 || serverManufacturer !== '' ? made : select({ ...entry, manufacturer: '' });
  const named = meant.length > 0 ? meant : select({ ...entry, model: '' });
  const known = named.filter((product) => hasVersion(product, version));
  return known.length > 0 ? known : meant;
}
