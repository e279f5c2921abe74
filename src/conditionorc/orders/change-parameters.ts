import { isDeepStrictEqual } from 'node:util';
import type { Condition, JsonObject } from '../../engine/index.ts';
import { showCondition } from '../records/condition-record.ts';
import { freezeFirmware } from './freeze-firmware.ts';
import { catalogueOf, type OrderDesk, withoutAsset } from './place-order.ts';

/**
 * New parameters of a condition, frozen as those of a new order are. A member that is sent back as it was shown stays as
 * it is: what was hidden in it is not lost, and a frozen list is not frozen once more.
 */
export async function changeParameters(
  desk: Pick<OrderDesk, 'inventory' | 'metrics'>,
  condition: Condition,
  given: JsonObject,
): Promise<JsonObject> {
  const { kind, parameters: stored } = condition;
  const { parameters: shown, target } = showCondition(condition);
  const members = Object.entries(withoutAsset({ kind, parameters: given }, target)).map(([name, value]) => {
    const before = isDeepStrictEqual(value, shown[name]) ? stored[name] : undefined;
    return [name, before ?? value] as const;
  });
  const parameters: JsonObject = Object.fromEntries(members);
  if (kind.toLowerCase() !== 'firmwareinstall') return parameters;
  const { firmwares, firmware_set_id: set, 'firmware-set-id': alias } = parameters;
  const isFrozen = firmwares !== undefined && firmwares === stored.firmwares;
  const isSameSet = alias === undefined && (set === undefined || set === stored.firmware_set_id);
  return isFrozen && isSameSet ? parameters : await freezeFirmware(parameters, catalogueOf(desk));
}
