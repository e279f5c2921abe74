import type { JsonObject } from '../../engine/index.ts';
import type { CatalogueFirmware } from '../ports/inventory.ts';

/** An image in the words of the parameters of an install, for these slots alone where any are given. */
export function showImage(one: CatalogueFirmware, slots: readonly string[] = []): JsonObject {
  return {
    id: one.id,
    vendor: one.vendor,
    component: one.component,
    version: one.version,
    filename: one.filename,
    URL: one.url,
    checksum: one.checksum,
    models: [...one.models],
    ...(one.softwareIds.length === 0 ? {} : { software_ids: [...one.softwareIds] }),
    ...(slots.length === 0 ? {} : { slots: [...slots] }),
    install_inband: one.isInband,
    oem: one.isOem,
  };
}
