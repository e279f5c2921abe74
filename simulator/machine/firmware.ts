import type { ComponentType } from '../images/component-type.ts';

/** One place firmware is installed in: the BIOS, a NIC, a drive. */
export interface FirmwareSlot {
  /** The vendor's name of the place: `BIOS.Setup.1-1`, `BMC-Primary`, `Bay3` ... */
  readonly slot: string;
  readonly component: ComponentType;
  /** As the inventory names it: `BIOS`, `Broadcom Gigabit Ethernet BCM5720`. */
  readonly name: string;
  readonly isUpdateable: boolean;
  /** What an image must be made for; several slots may share one. */
  readonly softwareId: string;
  version: string;
  /** What was there before: Dell's Previous entries. */
  previousVersion?: string;
  /** Staged and active after the next reset. */
  pendingVersion?: string;
}
