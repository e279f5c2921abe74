import type { JsonObject } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import type { InstalledFirmware } from '../inventory/installed-firmware.ts';

/** A firmware image as the catalogue describes it. */
export interface CatalogueFirmware {
  readonly id: string;
  readonly vendor: string;
  readonly component: string;
  readonly version: string;
  readonly filename: string;
  readonly url: string;
  /** `sha256:...`; empty where the catalogue has none. */
  readonly checksum: string;
  readonly models: readonly string[];
  /** The vendor's own ids of what it is for; none where the catalogue knows none. */
  readonly softwareIds: readonly string[];
  readonly isInband: boolean;
  readonly isOem: boolean;
}

/** A server to be taken in. */
export interface Enrolment {
  /** Its id, where whoever enrols it knows it. */
  readonly id: string | undefined;
  readonly name: string;
  readonly facility: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** As its BMC tells them. */
  readonly systemUuid?: string | undefined;
  readonly bmcUuid?: string | undefined;
  readonly bmc: { readonly address: string; readonly username: string; readonly password: string };
}

/** How a condition ended, for the history of its server. */
export interface ConditionEnd {
  readonly id: string;
  /** Shared by what was asked for together. */
  readonly unit: string;
  readonly kind: string;
  readonly serverId: string;
  readonly parameters: JsonObject;
  readonly state: string;
  readonly status: JsonObject;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What conditionOrc needs of Serverservice. What it throws with a status is answered as it is. */
export interface InventoryPort {
  /** All images of a set; undefined for a set that nobody knows. */
  firmwareSet(id: string): Promise<readonly CatalogueFirmware[] | undefined>;
  /** Images by their ids; those that nobody knows are missing. */
  firmware(ids: readonly string[]): Promise<readonly CatalogueFirmware[]>;
  /** Takes a server in with the credentials of its BMC, all or nothing; from then on the engine knows its machine. */
  enrol(order: Enrolment): Promise<{ readonly id: string; readonly facility: string }>;
  /** Takes a server away. Throws while work on it goes on. */
  removeServer(id: string): Promise<void>;
  /** Writes an end into the history; the same one twice is one. Throws `badValue` where it can never be written. */
  recordEnd(end: ConditionEnd): Promise<void>;
  /** What the last inventory found on a server; undefined where there was none. */
  installedFirmware(serverId: string): Promise<InstalledFirmware | undefined>;
  /** Stores an inventory, all or nothing, and only while the lease it was read under is held; throws `leaseLost`. */
  writeInventory(report: InventoryReport): Promise<void>;
  /** Writes down that a set was installed on a server and found there. */
  recordValidation(fact: { readonly setId: string; readonly serverId: string; readonly at: number }): Promise<void>;
}
