import type { Gates, TlsTrust } from '../../bmc/index.ts';
import type { Egress } from '../../egress/index.ts';
import type { Database, Engine, JsonObject, UrlSealer } from '../../engine/index.ts';
import { hashSource } from '../../firmware-store/index.ts';
import { planInstall, toFirmware } from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import {
  createEngineDesk,
  createRedfishProvisioners,
  type ImageCatalogue,
  openHostRecords,
  type Provisioners,
} from '../../provisioners/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { type Logger, shownUrl } from '../../telemetry/index.ts';
import { createImageLinks } from './image-links.ts';

/** What hosts without an Ironic are looked after with. */
export interface RedfishHostParts {
  readonly gates: Gates;
  readonly database: Database;
  readonly engine: Engine;
  readonly sealer: UrlSealer;
  readonly firmware: Pick<Serverservice['firmware'], 'list'>;
  readonly trustOf: (origin: string) => TlsTrust;
  /** How many hosts may be worked on at once; 0 for no limit. */
  readonly limit: number;
  /** Which images HostFirmwareComponents may name. */
  readonly firmwareLinks: 'any' | 'catalogue';
  /** What images may be read from, and BMCs be told to read from. */
  readonly egress: Egress;
  readonly logger: Logger;
  /** How long to wait until a host is looked at again; as usual unless given. */
  readonly pollMs?: number | undefined;
}

/** The most that an image may have. */
const maxImageBytes = 4 * 1024 ** 3;

/** Opens the provisioner that needs nothing but BMCs; firmware goes by way of the engine. */
export async function openRedfish(parts: RedfishHostParts): Promise<Provisioners> {
  const { gates, database, engine, sealer, firmware, trustOf, limit, firmwareLinks, egress, logger, pollMs } = parts;
  const hash = (url: string) => hashSource(url, { maxBytes: maxImageBytes, egress, logger });
  const links = firmwareLinks === 'any' ? createImageLinks({ hash, clock: systemClock }) : undefined;
  return createRedfishProvisioners({
    ...{ gates, trustOf, limit, links, egress, pollMs },
    records: await openHostRecords(database, sealer),
    desk: createEngineDesk(engine),
    catalogue: createImageCatalogue(firmware),
  });
}

/** The catalogue of Serverservice: an image is what is kept there under its address, or is shown under it. */
export function createImageCatalogue(firmware: RedfishHostParts['firmware']): ImageCatalogue {
  return {
    async find({ component, url, model }) {
      const [kind] = component.split(':');
      const query = kind === undefined ? {} : { component: kind };
      const shown = await firmware.list({ ...query, repositoryUrl: url }, firstPage);
      const exact = shown.records.filter(({ repositoryUrl }) => repositoryUrl === url);
      // Who reads the catalogue sees no log-ins of images: what is asked for as it is shown is fetched with them.
      const records = exact.length > 0 || shownUrl(url) !== url ? exact : shown.records;
      const fitting = records.find(({ models }) => models.some((each) => each.toLowerCase() === model.toLowerCase()));
      const found = fitting ?? records[0];
      return found === undefined ? undefined : toParameters(found);
    },
    whyNot(images, inventory) {
      const firmwares = images.map((image) => toFirmware(image as unknown as Parameters<typeof toFirmware>[0]));
      const { skipped, problems } = planInstall({ inventory, firmwares, parameters: { isForced: false } });
      const unmet = skipped.filter(({ why }) => !['current', 'duplicate', 'no-version'].includes(why));
      const wrong = problems.filter(({ isTransient }) => !isTransient);
      return [...unmet, ...wrong].map(({ message }) => message);
    },
  };
}

const firstPage = { page: 1, limit: 100, orderBy: undefined, isDescending: false };

function toParameters({ id, vendor, version, component, filename, url, checksum, models }: FirmwareRecord): JsonObject {
  return { id, vendor, version, component, filename, URL: url, checksum, models: [...models] };
}
