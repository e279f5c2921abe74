import type { Selected } from './offers.ts';

/** A part of a server and the version of its firmware, as a ServerFirmware lists it. */
export interface PartVersion {
  readonly name: string;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly slot?: string | undefined;
  readonly version?: string | undefined;
}

/** Parts of one product, which take the same firmware. */
export type ProductParts = readonly [PartVersion, ...PartVersion[]];

/** The parts of a server by product, in the order in which they are listed. */
export function groupByProduct(parts: readonly PartVersion[]): readonly ProductParts[] {
  const keyOf = ({ name, manufacturer, model, softwareId }: PartVersion) =>
    JSON.stringify([name, makerOf(manufacturer), fold(model), fold(softwareId)]);
  return [...Map.groupBy(parts, keyOf).values()] as unknown as readonly ProductParts[];
}

/** The versions of some parts, each once. */
export function versionsOf(parts: readonly PartVersion[]): readonly string[] {
  return [...new Set(parts.map(({ version = '' }) => version))];
}

/**
 * The products that an entry may be for. A maker that none of the parts has is that of the server, which stands for all
 * of them: then it is told from the versions which one is meant, and where they do not tell it is any of them.
 */
export function productsFor(
  entry: Partial<Selected> & { readonly name: string; readonly version?: string | undefined },
  products: readonly ProductParts[],
  hasVersion: (product: ProductParts, version: string) => boolean,
): readonly ProductParts[] {
  const { name, version = '' } = entry;
  const narrowed = products.filter(([first, ...others]) => {
    if (first.name !== name) return false;
    const isSlot = fold(entry.slot) === '' || [first, ...others].some((part) => fold(part.slot) === fold(entry.slot));
    return isSlot && isAnyOr(entry.model, first.model) && isAnyOr(entry.softwareId, first.softwareId);
  });
  const made = narrowed.filter(([{ manufacturer }]) => isSameMaker(manufacturer, entry.manufacturer));
  const meant = made.length > 0 ? made : narrowed;
  const known = meant.filter((product) => hasVersion(product, version));
  return known.length > 0 ? known : meant;
}

/** True for two spellings of one maker: `Broadcom Inc. and subsidiaries` and `broadcom`, `Mellanox` and `NVIDIA`. */
export function isSameMaker(one: string | undefined, other: string | undefined): boolean {
  return makerOf(one) === makerOf(other);
}

/** Names that do not begin with the word by which the maker goes. */
const otherNames: Readonly<Record<string, string>> = {
  hewlett: 'hpe',
  hp: 'hpe',
  mellanox: 'nvidia',
  super: 'supermicro',
  avago: 'broadcom',
  lsi: 'broadcom',
  toshiba: 'kioxia',
};

/** The first word of a maker's name tells who it is. */
export function makerOf(manufacturer: string | undefined): string {
  const word = fold(manufacturer).split(/[^\p{L}\p{N}]+/u, 1)[0] ?? '';
  return Object.hasOwn(otherNames, word) ? (otherNames[word] ?? word) : word;
}

function isAnyOr(desired: string | undefined, actual: string | undefined): boolean {
  return fold(desired) === '' || fold(desired) === fold(actual);
}

/** Texts as they are compared. */
export function fold(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase().replaceAll(/\s+/g, ' ');
}
