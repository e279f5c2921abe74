import type { VendorName } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { objectIn, textIn } from './read.ts';

const wordsOf: readonly (readonly [RegExp, VendorName])[] = [
  [/\bdell\b|\bidrac|integrated dell/i, 'dell'],
  [/\bhpe?\b|hewlett|\bilo\b|proliant/i, 'hpe'],
  [/lenovo|\bxcc\b|\bxclarity|thinksystem/i, 'lenovo'],
  [/super\s?micro|^smci?$/i, 'supermicro'],
  [/nvidia|mellanox|bluefield/i, 'nvidia'],
  [/open\s?bmc|bmcweb/i, 'openbmc'],
  [/^ami$|american megatrends|megarac/i, 'ami'],
];

const oemKeys: readonly (readonly [string, VendorName])[] = [
  ['Dell', 'dell'],
  ['Hpe', 'hpe'],
  ['Hp', 'hpe'],
  ['Lenovo', 'lenovo'],
  ['Supermicro', 'supermicro'],
  ['Nvidia', 'nvidia'],
  ['OpenBmc', 'openbmc'],
  ['OpenBMC', 'openbmc'],
  ['Ami', 'ami'],
  ['AMI', 'ami'],
];

/** The bodies a vendor can be told from; the more the better. */
export interface VendorTraces {
  readonly root: JsonObject;
  readonly manager?: JsonObject;
  readonly system?: JsonObject;
}

/**
 * Whose BMC this is. What the BMC says of itself (root, then manager) goes before the maker of the system, since one
 * maker's board may carry another's BMC software.
 */
export function detectVendor(traces: VendorTraces): VendorName {
  const { root, manager = {}, system = {} } = traces;
  return (
    byWord(textIn(root, 'Vendor')) ??
    byOem(root) ??
    byWord(textIn(root, 'Product')) ??
    byWord(textIn(manager, 'Manufacturer')) ??
    byOem(manager) ??
    byWord(textIn(manager, 'Model')) ??
    byWord(textIn(system, 'Manufacturer')) ??
    byOem(system) ??
    'generic'
  );
}

function byWord(text: string | undefined): VendorName | undefined {
  return text === undefined ? undefined : wordsOf.find(([words]) => words.test(text))?.[1];
}

function byOem(body: JsonObject): VendorName | undefined {
  const oem = objectIn(body, 'Oem');
  return oemKeys.find(([key]) => Object.hasOwn(oem, key))?.[1];
}
