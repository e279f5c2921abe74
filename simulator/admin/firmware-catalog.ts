import { setImmediate } from 'node:timers/promises';
import type { DataCentre } from '../data-centre.ts';
import { findImage, listFirmware, type OfferedFirmware } from './firmware-routes.ts';

/** All firmware that can be had for the servers of a data centre. */
export interface FirmwareCatalog {
  /** In the form of a plain firmware catalogue: one entry for each version, with the hash of its image. */
  describe(origin: string): Promise<object>;
}

interface Offer {
  readonly firmware: OfferedFirmware;
  readonly bmc: DataCentre['bmcs'][number];
}

interface Image {
  readonly lengthBytes: number;
  readonly sha256: string;
}

/** Makes a catalogue that remembers images: to know what one hashes to, it has to be made. */
export function createFirmwareCatalog({ bmcs }: DataCentre): FirmwareCatalog {
  const images = new Map<string, Promise<Image | undefined>>();
  const imageOf = (key: string, { bmc, firmware }: Offer): Promise<Image | undefined> => {
    const known = images.get(key) ?? makeImage(bmc, firmware);
    images.set(key, known);
    return known;
  };
  return {
    async describe(origin) {
      const firmware: object[] = [];
      for (const [key, offer] of offersOf(bmcs)) {
        const image = await imageOf(key, offer);
        if (image !== undefined) firmware.push(entryOf(offer.firmware, image, origin));
      }
      return { apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware };
    },
  };
}

function offersOf(bmcs: DataCentre['bmcs']): ReadonlyMap<string, Offer> {
  const offers = new Map<string, Offer>();
  for (const bmc of bmcs) {
    for (const firmware of listFirmware(bmc)) {
      const { vendor, models, softwareId, component, version } = firmware;
      const key = JSON.stringify([vendor, models, softwareId, component, version]);
      // Servers of one model have other parts: the first that has the part stands for all.
      if (!offers.has(key)) offers.set(key, { firmware, bmc });
    }
  }
  return offers;
}

/** Whoever asks something else meanwhile is answered first. */
async function makeImage(bmc: Offer['bmc'], firmware: OfferedFirmware): Promise<Image | undefined> {
  await setImmediate();
  const image = findImage(bmc, firmware);
  return image === undefined ? undefined : { lengthBytes: image.lengthBytes, sha256: image.sha256 };
}

/** Files are known by their names: two parts of one kind may have the same version. */
function fileNameOf({ softwareId, version }: OfferedFirmware): string {
  return `${softwareId}_${version}.bin`.replaceAll(/[^\w.-]+/g, '_');
}

function entryOf(firmware: OfferedFirmware, image: Image, origin: string): object {
  const { component, name, vendor, models, softwareId, version, releaseDate } = firmware;
  return {
    component,
    name,
    manufacturer: vendor,
    models,
    softwareIds: [softwareId],
    version,
    url: `${origin}${firmware.image}/${fileNameOf(firmware)}`,
    size: image.lengthBytes,
    checksums: [`sha256:${image.sha256}`],
    releaseDate,
  };
}
