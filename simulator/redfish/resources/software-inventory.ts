import type { FirmwareEntry } from '../../personalities/personality.ts';
import type { JsonObject, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { root } from './paths.ts';
import { collection, head, healthy, linkList, show } from './render.ts';

const inventory = `${root}/UpdateService/FirmwareInventory`;

/** FirmwareInventory as the vendor lists it, and SoftwareInventory, which is empty: no agent tells of software. */
export const softwareInventoryRoutes: readonly Route[] = [
  {
    pattern: inventory,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'SoftwareInventory' },
        machine.personality.listFirmware(machine).map(({ id }) => `${path}/${id}`),
      ),
  },
  {
    pattern: `${inventory}/:entry`,
    get: (request) => {
      const { machine, params, path } = request;
      const entry = machine.personality.listFirmware(machine).find(({ id }) => id === params.entry);
      return entry === undefined ? refuseMissing(path) : show(request, 'SoftwareInventory', renderEntry(entry));
    },
  },
  {
    pattern: `${root}/UpdateService/SoftwareInventory`,
    get: ({ path }) => collection({ path, of: 'SoftwareInventory' }, []),
  },
];

function renderEntry(entry: FirmwareEntry): JsonObject {
  return {
    ...head({
      path: `${inventory}/${entry.id}`,
      schema: 'SoftwareInventory.v1_3_0',
      id: entry.id,
      name: entry.name,
    }),
    Version: entry.version,
    ...(entry.softwareId !== undefined && { SoftwareId: entry.softwareId }),
    Updateable: entry.isUpdateable,
    ...linkList('RelatedItem', entry.relatedItems),
    Status: healthy(),
    ...entry.body,
  };
}
