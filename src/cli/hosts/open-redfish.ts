import type { Gates, TlsTrust } from '../../bmc/index.ts';
import type { Database, Engine, JsonObject } from '../../engine/index.ts';
import {
  createEngineDesk,
  createRedfishProvisioners,
  type ImageCatalogue,
  openHostRecords,
  type Provisioners,
} from '../../provisioners/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';

/** What hosts without an Ironic are looked after with. */
export interface RedfishHostParts {
  readonly gates: Gates;
  readonly database: Database;
  readonly engine: Engine;
  readonly firmware: Pick<Serverservice['firmware'], 'list'>;
  readonly trustOf: (origin: string) => TlsTrust;
  /** How many hosts may be worked on at once; 0 for no limit. */
  readonly limit: number;
}

/** Opens the provisioner that needs nothing but BMCs; firmware goes by way of the engine. */
export async function openRedfish(parts: RedfishHostParts): Promise<Provisioners> {
  const { gates, database, engine, firmware, trustOf, limit } = parts;
  return createRedfishProvisioners({
    ...{ gates, trustOf, limit },
    records: await openHostRecords(database),
    desk: createEngineDesk(engine),
    catalogue: createImageCatalogue(firmware),
  });
}

/** The catalogue of Serverservice: an image is what is kept there under its address. */
export function createImageCatalogue(firmware: RedfishHostParts['firmware']): ImageCatalogue {
  return {
    async find({ component, url, model }) {
      const [kind] = component.split(':');
      const query = { repositoryUrl: url, ...(kind === undefined ? {} : { component: kind }) };
      const { records } = await firmware.list(query, { page: 1, limit: 100, orderBy: undefined, isDescending: false });
      const fitting = records.find(({ models }) => models.some((each) => each.toLowerCase() === model.toLowerCase()));
      const found = fitting ?? records[0];
      return found === undefined ? undefined : toParameters(found);
    },
  };
}

function toParameters({ id, vendor, version, component, filename, url, checksum, models }: FirmwareRecord): JsonObject {
  return { id, vendor, version, component, filename, URL: url, checksum, models: [...models] };
}
