import type { DiscoveredFirmware } from '../../api/index.ts';
import type { Product } from '../../parts/index.ts';
import { biosName } from './desired.ts';

/** A product and the versions of its firmware that discovery lists, oldest first. */
export interface AvailableProduct extends Product {
  readonly versions: readonly string[];
}

/** What discovery lists for a model, the BIOS among it. */
export function productsOf(discovered: DiscoveredFirmware | undefined): readonly AvailableProduct[] {
  if (discovered === undefined) return [];
  const { spec, status } = discovered;
  const { bios, firmwares = [] } = status ?? {};
  const products = firmwares.map(({ version, versions, ...product }) => ({
    ...product,
    versions: versions ?? version ?? [],
  }));
  if (bios === undefined) return products;
  return [{ name: biosName, manufacturer: spec.manufacturer, versions: bios.versions }, ...products];
}
