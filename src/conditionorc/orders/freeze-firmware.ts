import type { JsonObject, JsonValue } from '../../engine/index.ts';
import { OrcError } from '../errors.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { showImage } from './show-image.ts';

/** Where firmware is looked up. */
export type FirmwareCatalogue = Pick<InventoryPort, 'firmwareSet' | 'firmware'>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function refuse(...problems: string[]): never {
  throw new OrcError('badParameters', { kind: 'firmwareInstall' }, { problems });
}

function setIdOf(parameters: JsonObject): string | undefined {
  const given = parameters.firmware_set_id ?? parameters['firmware-set-id'];
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given !== 'string' || !uuid.test(given)) refuse('firmware_set_id is not a UUID');
  return given.toLowerCase();
}

/** Ids in the list are replaced by what the catalogue says of them; images that are given whole stay as they are. */
async function resolveList(list: readonly JsonValue[], catalogue: FirmwareCatalogue | undefined): Promise<JsonValue[]> {
  const ids = [...new Set(list.filter((one) => typeof one === 'string'))];
  if (ids.length === 0) return [...list];
  if (catalogue === undefined) throw new OrcError('noInventory', { what: 'a firmware id' });
  const wrong = ids.filter((id) => !uuid.test(id));
  if (wrong.length > 0)
    refuse(...wrong.slice(0, 10).map((id) => `firmwares: ${JSON.stringify(id.slice(0, 80))} is not a UUID`));
  const found = await catalogue.firmware(ids.map((id) => id.toLowerCase()));
  const byId = new Map(found.map((one) => [one.id, one]));
  const unknown = ids.filter((id) => !byId.has(id.toLowerCase()));
  if (unknown.length > 0) refuse(...unknown.slice(0, 10).map((id) => `firmwares: there is no firmware ${id}`));
  return list.map((one) => {
    const known = typeof one === 'string' ? byId.get(one.toLowerCase()) : undefined;
    return known === undefined ? one : showImage(known);
  });
}

async function resolveSet(setId: string, catalogue: FirmwareCatalogue | undefined): Promise<JsonValue[]> {
  if (catalogue === undefined) throw new OrcError('noInventory', { what: 'a firmware set' });
  const found = await catalogue.firmwareSet(setId);
  if (found === undefined) refuse(`there is no firmware set ${setId}`);
  if (found.length === 0) refuse(`firmware set ${setId} is empty`);
  // In one order, so that asking twice for one set is asking for the same.
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => showImage(one));
}

/** Puts what is to be installed into the parameters: a set that is changed later changes nothing about this install. */
export async function freezeFirmware(
  parameters: JsonObject,
  catalogue: FirmwareCatalogue | undefined,
): Promise<JsonObject> {
  const setId = setIdOf(parameters);
  const { firmwares, firmware_set_id: _, 'firmware-set-id': __, ...rest } = parameters;
  const hasList =
    firmwares !== undefined && firmwares !== null && !(Array.isArray(firmwares) && firmwares.length === 0);
  if (setId !== undefined && hasList) refuse('give either firmware_set_id or firmwares, not both');
  if (setId !== undefined) {
    return { ...rest, firmware_set_id: setId, firmwares: await resolveSet(setId, catalogue) };
  }
  if (!hasList) refuse('nothing is to be installed: give firmware_set_id or a list firmwares');
  if (!Array.isArray(firmwares)) refuse('firmwares is not a list');
  return { ...rest, firmwares: await resolveList(firmwares, catalogue) };
}
