import type { Inventory } from '../../bmc/index.ts';
import type { InventorySink } from '../../flasher/index.ts';
import { compareVersions, readVendor } from '../../versions/index.ts';
import type { DiscoveryResult } from './update-client.ts';

/** A version that is installed. */
export interface InstalledFirmware {
  readonly name: string;
  /** Empty for the server's own. */
  readonly manufacturer: string;
  readonly version: string;
}

/** What a job has found so far, to be told with its end. */
export class Harvest implements InventorySink {
  #installed:
    | { readonly firmwares: readonly InstalledFirmware[]; readonly inventory: string; readonly at: number }
    | undefined;
  #discovered: Omit<DiscoveryResult, 'name'> | undefined;

  /** What was read last of the server. */
  get installed() {
    return this.#installed;
  }

  /** What can be had. */
  get discovered() {
    return this.#discovered;
  }

  /** Takes an inventory as strategies give it. */
  async write({ inventory, biosSettings, readAt }: Parameters<InventorySink['write']>[0]): Promise<void> {
    this.#installed = {
      firmwares: installedFirmware(inventory),
      inventory: isWhole(inventory) ? JSON.stringify({ inventory, biosSettings }) : '',
      at: readAt,
    };
  }

  /** Takes what a discovery found. */
  keepDiscovered(found: Omit<DiscoveryResult, 'name'>): void {
    this.#discovered = found;
  }
}

/** Strategies that know versions alone hand on no more than those: the rest of the inventory stays as it is. */
function isWhole(inventory: Partial<Inventory>): boolean {
  const { system, processors, memory, drives, ports } = inventory;
  return typeof system?.path === 'string' && [processors, memory, drives, ports].every(Array.isArray);
}

/** Whose maker is the server's. */
const serversOwn: readonly string[] = ['bios', 'bmc', 'cpld'];

/**
 * The versions of an inventory, one for each component and maker. Where several parts have different ones it is the
 * oldest: a server is at a version when all its parts are.
 */
export function installedFirmware(inventory: Pick<Inventory, 'firmware' | 'system'>): readonly InstalledFirmware[] {
  const found = new Map<string, InstalledFirmware>();
  for (const { component, vendor, version, isBackup } of inventory.firmware) {
    if (version.trim() === '' || isBackup === true) continue;
    const manufacturer = serversOwn.includes(component) ? '' : (vendor ?? '').trim();
    const key = `${component}\n${readVendor(manufacturer).key}`;
    const known = found.get(key);
    const maker = manufacturer === '' ? (inventory.system.manufacturer ?? '') : manufacturer;
    const isOlder =
      known !== undefined && compareVersions({ vendor: maker, component, version, than: known.version }) === 'older';
    if (known === undefined || isOlder)
      found.set(key, { name: component, manufacturer: known?.manufacturer ?? manufacturer, version });
  }
  return [...found.values()];
}
