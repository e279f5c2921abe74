import type { BiosValue, Inventory } from '../../bmc/index.ts';
import type { InstallContext } from '../install/ports.ts';

/** Where inventories go. */
export interface InventorySink {
  /** Stores what was read. A report with an older lease than the last one stored must be refused with an error. */
  write(report: InventoryReport): Promise<void>;
}

/** An inventory and where it comes from. */
export interface InventoryReport {
  readonly target: string;
  readonly inventory: Inventory;
  /** Undefined when they were not asked for. */
  readonly biosSettings: Readonly<Record<string, BiosValue>> | undefined;
  readonly readAt: number;
  readonly lease: { readonly conditionId: string; readonly token: number };
}

/** What the handlers need of the process they run in. */
export interface HandlerContext extends InstallContext {
  readonly inventorySink: InventorySink;
}
