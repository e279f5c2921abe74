import type { FirmwareCatalogue } from '../../flasher/index.ts';
import { toFirmware } from '../../flasher/index.ts';
import type { Serverservice } from '../../serverservice/index.ts';
import { orMissing } from './server-directory.ts';

/** The firmware sets of the inventory, as the flasher reads them. */
export function createFirmwareCatalogue(service: Pick<Serverservice, 'firmwareSets'>): FirmwareCatalogue {
  return {
    async readSet(id) {
      const set = await orMissing(service.firmwareSets.get(id));
      return set?.firmware.map(({ models, isInband, isOem, ...firmware }) =>
        toFirmware({
          id: firmware.id,
          vendor: firmware.vendor,
          component: firmware.component,
          version: firmware.version,
          filename: firmware.filename,
          URL: firmware.url,
          checksum: firmware.checksum,
          models: [...models],
          install_inband: isInband,
          oem: isOem,
        }),
      );
    },
  };
}
