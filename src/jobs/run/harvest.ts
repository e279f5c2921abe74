import type { Inventory } from '../../bmc/index.ts';
import type { InventorySink } from '../../flasher/index.ts';
import { getInstalledParts, type InstalledPart } from '../../parts/index.ts';
import type { DiscoveryResult } from './update-client.ts';

/** What a job has found so far, to be told with its end. */
export class Harvest implements InventorySink {
  #installed:
    | { readonly firmwares: readonly InstalledPart[]; readonly inventory: string; readonly at: number }
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
      firmwares: getInstalledParts(inventory),
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
