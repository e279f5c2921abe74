import { isSameVendor } from '../versions/index.ts';
import { type PartSpelling, partKey, partName } from './component.ts';

/** What says which parts of a server are meant; empty or absent means any. */
export interface PartSelector extends PartSpelling {
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly slot?: string | undefined;
}

/** A part as far as it is known. */
export interface KnownPart extends PartSpelling {
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly otherSoftwareIds?: readonly string[] | undefined;
  readonly slot?: string | undefined;
}

/** What versions are published for: a product of a maker, by the vendor's ids where the catalogue has them. */
export interface Product extends PartSpelling {
  readonly model?: string | undefined;
  readonly softwareIds?: readonly string[] | undefined;
}

/** Equal for two spellings of one selector. */
export function selectorKey(selector: PartSelector): string {
  const { model, softwareId, slot } = selector;
  const narrowed = [model, softwareId, slot].map(fold);
  return narrowed.every((text) => text === '') ? partKey(selector) : JSON.stringify([partKey(selector), ...narrowed]);
}

/** True for a part that a selector means. The maker may be that of the part, or of the server for every part in it. */
export function isSelected(selector: PartSelector, part: KnownPart, serverManufacturer: string): boolean {
  return (
    partName(part.name) === partName(selector.name) &&
    isMaker(selector.manufacturer, part, serverManufacturer) &&
    isAnyOr(selector.model, part.model) &&
    (fold(selector.softwareId) === '' || foldIds(part).has(fold(selector.softwareId))) &&
    isAnyOr(selector.slot, part.slot)
  );
}

/** What a selector is held against. */
export interface SelectionContext<T extends KnownPart> {
  readonly parts: readonly T[];
  /** What is published for the server. */
  readonly products: readonly Product[];
  readonly serverManufacturer: string;
}

/**
 * The parts that a selector means. Catalogues and BMCs often name one product differently: where no part has the model
 * of the selector, the parts count that take the firmware published for a product of that name.
 */
export function selectParts<T extends KnownPart>(
  selector: PartSelector,
  { parts, products, serverManufacturer }: SelectionContext<T>,
): readonly T[] {
  const own = parts.filter((part) => isSelected(selector, part, serverManufacturer));
  const model = fold(selector.model);
  if (own.length > 0 || model === '') return own;
  const ofAnyModel = { ...selector, model: undefined };
  const takesNamed = (part: T): boolean =>
    getProductsOf(products, part, serverManufacturer).some((product) => fold(product.model) === model);
  return parts.filter((part) => isSelected(ofAnyModel, part, serverManufacturer) && takesNamed(part));
}

/** BMCs that do not tell the maker of a part often have it in the name of the product. */
function isMaker(wanted: string, { manufacturer, model }: KnownPart, serverManufacturer: string): boolean {
  if (fold(wanted) === '' || isSameVendor(wanted, serverManufacturer)) return true;
  if (manufacturer !== '') return isSameVendor(wanted, manufacturer);
  return fold(model)
    .split(/[^\p{L}\p{N}]+/u)
    .includes(fold(wanted));
}

function isAnyOr(wanted: string | undefined, actual: string | undefined): boolean {
  return fold(wanted) === '' || fold(wanted) === fold(actual);
}

/** True when what is published for a product is for a part: by ids where both have them, else by names, else by maker. */
function isProductOf(product: Product, part: KnownPart, serverManufacturer: string): boolean {
  const { model, softwareIds = [], name, manufacturer } = product;
  if (partName(name) !== partName(part.name)) return false;
  const ids = foldIds(part);
  if (softwareIds.length > 0 && ids.size > 0) return softwareIds.some((each) => ids.has(fold(each)));
  const [published, actual] = [fold(model), fold(part.model)];
  if (published === '' || actual === '') return isMaker(manufacturer, part, serverManufacturer);
  return published.includes(actual) || actual.includes(published);
}

/**
 * The products whose firmware a part takes. Of several that fit by their names alone those with the closest name count:
 * a `ConnectX-6 Lx` takes nothing that is published for the `ConnectX-6`, nor the other way round.
 */
export function getProductsOf<T extends Product>(
  products: readonly T[],
  part: KnownPart,
  serverManufacturer: string,
): readonly T[] {
  const fitting = products.filter((product) => isProductOf(product, part, serverManufacturer));
  const closest = Math.max(...fitting.map((product) => closeness(product, part)));
  return fitting.filter((product) => closeness(product, part) >= closest || !isFittingByName(product, part));
}

/** True where ids do not tell, and both have names. */
function isFittingByName({ model, softwareIds = [] }: Product, part: KnownPart): boolean {
  const areIdsKnown = softwareIds.length > 0 && foldIds(part).size > 0;
  return !areIdsKnown && fold(model) !== '' && fold(part.model) !== '';
}

/** How much of the names is the same; the very same name is closest. */
function closeness(product: Product, part: KnownPart): number {
  if (!isFittingByName(product, part)) return 0;
  const [published, actual] = [fold(product.model), fold(part.model)];
  return published === actual ? Number.POSITIVE_INFINITY : Math.min(published.length, actual.length);
}

/** A part in a few words. */
export function describePart({ name, manufacturer, model = '', slot = '' }: KnownPart): string {
  const product = [manufacturer, model].filter((text) => text !== '').join(' ');
  return [name, product, slot === '' ? '' : `in ${slot}`].filter((text) => text !== '').join(' ');
}

function foldIds({ softwareId = '', otherSoftwareIds = [] }: KnownPart): ReadonlySet<string> {
  return new Set([softwareId, ...otherSoftwareIds].map(fold).filter((id) => id !== ''));
}

function fold(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase().replaceAll(/\s+/g, ' ');
}
