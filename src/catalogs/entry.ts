import type { Digest } from '../firmware-store/index.ts';

/** A version of some firmware that a vendor offers. */
export interface FirmwareEntry {
  /** What it is for, as the inventory says it: `bios`, `bmc`, `nic`, `drive`, `storage-controller`, ... or `other`. */
  readonly component: string;
  /** What the catalogue calls it; for people. */
  readonly name: string;
  /** The maker of the part, or of the server for its own firmware, as the catalogue writes it. */
  readonly manufacturer: string;
  readonly version: string;
  /** Server models that it is for; empty where the format does not tell. */
  readonly models: readonly string[];
  /** The vendor's own ids of what it is for, as inventories show them; empty where the format does not tell. */
  readonly softwareIds: readonly string[];
  /** Equal for all versions of one firmware. */
  readonly line: string;
  readonly fileName: string;
  readonly url: string;
  readonly sizeBytes: number | undefined;
  /** The strongest first; empty where the format has none. */
  readonly digests: readonly Digest[];
  /** `2023-07-20`; undefined where it is not told or is no date. */
  readonly releaseDate: string | undefined;
  /** Undefined where the format does not tell. */
  readonly isRebootNeeded: boolean | undefined;
}

/** Whose firmware is asked for. */
export interface CatalogQuery {
  /** Of the server, in any spelling. */
  readonly manufacturer: string;
  /** As the server says it: `PowerEdge R640`, `ProLiant DL360 Gen10`, `ThinkSystem SR650`, or a machine type. */
  readonly model: string;
  /** Other names of the model, such as Lenovo's machine type (`7X06`) beside `ThinkSystem SR650`. */
  readonly otherModels?: readonly string[] | undefined;
  /** How many versions of each firmware are kept, the newest; all unless given. */
  readonly versionsToStore?: number | undefined;
}
