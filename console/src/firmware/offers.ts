import type { KubeObject } from '../api/kinds.ts';
import type { AvailableFirmware } from './group-draft.ts';
import { fold, isSameMaker, makerOf } from './products.ts';

/** A part of a server, as far as offers go. */
export interface InstalledPart {
  readonly name: string;
  readonly manufacturer: string;
  readonly model?: string;
  readonly softwareId?: string;
}

/** The parts of a ServerFirmware, and the Server that has them. */
export interface ServerParts {
  readonly server: string;
  readonly parts: readonly InstalledPart[];
}

/** What an entry of a group is for; empty members mean any. */
export interface Selected {
  readonly name: string;
  readonly manufacturer: string;
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly slot?: string | undefined;
}

/** A product that servers have, as an entry selects it, and its versions, oldest first. */
export interface Offer extends Selected {
  /** What the catalogue calls it. */
  readonly product: string;
  readonly versions: readonly string[];
}

/** The parts of a ServerFirmware; equal ones once. */
export function toServerParts(object: KubeObject): ServerParts {
  const { spec, status } = object as {
    readonly spec?: { readonly serverRef?: { readonly name?: string } };
    readonly status?: { readonly firmwares?: readonly InstalledPart[] };
  };
  const parts = new Map(
    (status?.firmwares ?? []).map(({ name, manufacturer, model, softwareId }) => {
      const part = { name, manufacturer, ...(model ? { model } : {}), ...(softwareId ? { softwareId } : {}) };
      return [JSON.stringify(part), part];
    }),
  );
  return { server: spec?.serverRef?.name ?? '', parts: [...parts.values()] };
}

/** What is available for some hardware; with parts given, only what one of them takes. */
export function offersOf({ spec, status }: AvailableFirmware, parts?: readonly InstalledPart[]): readonly Offer[] {
  const bios = { name: 'bios', manufacturer: spec.manufacturer, versions: status?.bios?.versions ?? [] };
  const products = [bios, ...(status?.firmwares ?? [])].filter(({ versions = [] }) => versions.length > 0);
  const offers = products.flatMap((product): Offer[] => {
    const fitting = parts?.filter((part) => getProductsOf(products, part, spec.manufacturer).includes(product));
    if (fitting?.length === 0) return [];
    const { name, manufacturer, versions = [] } = product;
    const model = 'model' in product ? (product.model ?? '') : '';
    const isOnly = products.filter((each) => each.name === name && each.manufacturer === manufacturer).length === 1;
    const narrowings = isOnly ? [{}] : (fitting ?? [product]).map(narrowing);
    return narrowings.map((narrowed) => ({ name, manufacturer, ...narrowed, product: model, versions }));
  });
  return [...new Map(offers.map((offer) => [JSON.stringify({ ...offer, versions: '' }), offer])).values()];
}

type Product = NonNullable<NonNullable<AvailableFirmware['status']>['firmwares']>[number];

/** What tells a product from others of its class; a part of the server says it better than the catalogue. */
function narrowing(of: InstalledPart | Product): Pick<Selected, 'model' | 'softwareId'> {
  const softwareId = 'softwareIds' in of ? of.softwareIds?.[0] : 'softwareId' in of ? of.softwareId : undefined;
  if (softwareId) return { softwareId };
  return of.model ? { model: of.model } : {};
}

/** The products whose firmware a part takes, by the rule of the controllers: the closest of those that fit by name. */
export function getProductsOf<T extends Product>(
  products: readonly T[],
  part: InstalledPart,
  serverManufacturer: string,
): readonly T[] {
  const fitting = products.filter((product) => isProductOf(product, part, serverManufacturer));
  const closest = Math.max(...fitting.map((product) => closeness(product, part)));
  return fitting.filter((product) => closeness(product, part) >= closest || !isFittingByName(product, part));
}

function isFittingByName({ model, softwareIds = [] }: Product, part: InstalledPart): boolean {
  const areIdsKnown = softwareIds.length > 0 && fold(part.softwareId) !== '';
  return !areIdsKnown && fold(model) !== '' && fold(part.model) !== '';
}

function closeness(product: Product, part: InstalledPart): number {
  if (!isFittingByName(product, part)) return 0;
  const [published, actual] = [fold(product.model), fold(part.model)];
  return published === actual ? Number.POSITIVE_INFINITY : Math.min(published.length, actual.length);
}

function isProductOf(
  { name, manufacturer, model = '', softwareIds = [] }: Product,
  part: InstalledPart,
  serverManufacturer: string,
): boolean {
  if (name !== part.name) return false;
  const id = fold(part.softwareId);
  if (softwareIds.length > 0 && id !== '') return softwareIds.some((each) => fold(each) === id);
  const [published, actual] = [fold(model), fold(part.model)];
  if (published !== '' && actual !== '') return published.includes(actual) || actual.includes(published);
  if (isSameMaker(manufacturer, serverManufacturer)) return true;
  if (part.manufacturer !== '') return isSameMaker(manufacturer, part.manufacturer);
  return actual.split(/[^\p{L}\p{N}]+/u).includes(makerOf(manufacturer));
}
