import type { KubeObject } from '../api/kinds.ts';
import type { AvailableFirmware } from './group-draft.ts';
import { getProductsOf, type Product, partKey } from './parts.ts';

/** A part of a server, as far as offers go. */
export interface InstalledPart {
  readonly name: string;
  readonly manufacturer: string;
  readonly model?: string;
  readonly softwareId?: string;
  readonly otherSoftwareIds?: readonly string[];
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
    (status?.firmwares ?? []).map(({ name, manufacturer, model, softwareId, otherSoftwareIds }) => {
      const ids = { ...(softwareId ? { softwareId } : {}), ...(otherSoftwareIds ? { otherSoftwareIds } : {}) };
      const part = { name, manufacturer, ...(model ? { model } : {}), ...ids };
      return [JSON.stringify(part), part];
    }),
  );
  return { server: spec?.serverRef?.name ?? '', parts: [...parts.values()] };
}

/** What is available for some hardware and taken by one of its parts. */
export function offersOf({ spec, status }: AvailableFirmware, parts: readonly InstalledPart[]): readonly Offer[] {
  const bios = { name: 'bios', manufacturer: spec.manufacturer, versions: status?.bios?.versions ?? [] };
  const products = [bios, ...(status?.firmwares ?? [])].filter(({ versions = [] }) => versions.length > 0);
  const taken = parts.map((part) => ({ part, of: getProductsOf<Product>(products, part, spec.manufacturer) }));
  const offers = products.flatMap((product): Offer[] => {
    const fitting = taken.filter(({ of }) => of.includes(product)).map(({ part }) => part);
    if (fitting.length === 0) return [];
    const { name, manufacturer, versions = [] } = product;
    const model = 'model' in product ? (product.model ?? '') : '';
    const isOnly = products.filter((each) => partKey(each) === partKey(product)).length === 1;
    const narrowings = isOnly ? [{}] : fitting.map(narrowing);
    return narrowings.map((narrowed) => ({ name, manufacturer, ...narrowed, product: model, versions }));
  });
  return [...new Map(offers.map((offer) => [JSON.stringify({ ...offer, versions: '' }), offer])).values()];
}

/** What tells the product of a part from others of its class. */
function narrowing({ softwareId, model }: InstalledPart): Pick<Selected, 'model' | 'softwareId'> {
  if (softwareId) return { softwareId };
  return model ? { model } : {};
}
