import type { Checksums } from './checksums.ts';

/** A firmware version of the catalogue. */
export interface FirmwareRecord {
  readonly id: string;
  /** Small letters: `bios`. */
  readonly component: string;
  /** Small letters: `dell`. */
  readonly vendor: string;
  /** Models of servers or parts that it is for, as they were written; any when empty. */
  readonly models: readonly string[];
  /** The vendor's own ids of what it is for, as inventories show them; any where nobody told. */
  readonly softwareIds: readonly string[];
  readonly filename: string;
  readonly version: string;
  readonly checksums: Checksums;
  /** The best of them, as `sha256:...`; empty when there is none. */
  readonly checksum: string;
  /** Where the vendor has it. */
  readonly upstreamUrl: string;
  /** Where we have it. */
  readonly repositoryUrl: string;
  /** Where to get it: ours if there is one. */
  readonly url: string;
  readonly isInband: boolean;
  readonly isOem: boolean;
  /** What should be better about it. */
  readonly warnings: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A firmware version to be written. */
export interface FirmwareDraft {
  readonly id?: string | undefined;
  readonly component: string;
  readonly vendor: string;
  readonly models?: readonly string[] | undefined;
  readonly softwareIds?: readonly string[] | undefined;
  readonly filename: string;
  readonly version: string;
  /** `sha256:...`, bare hex, or `md5sum:...` for legacy sets. */
  readonly checksums?: readonly string[] | undefined;
  readonly upstreamUrl?: string | undefined;
  readonly repositoryUrl?: string | undefined;
  readonly isInband?: boolean | undefined;
  readonly isOem?: boolean | undefined;
}

/** Which firmware to list. */
export interface FirmwareQuery {
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly component?: string | undefined;
  readonly version?: string | undefined;
  readonly filename?: string | undefined;
  readonly checksum?: string | undefined;
  readonly repositoryUrl?: string | undefined;
  readonly isInband?: boolean | undefined;
  readonly isOem?: boolean | undefined;
}

/** A set of firmware that belongs together. */
export interface FirmwareSet {
  readonly id: string;
  readonly name: string;
  /** `vendor`, `model`, `latest`, `default` and others. */
  readonly labels: Readonly<Record<string, string>>;
  readonly firmware: readonly FirmwareRecord[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Which sets to list. Vendor and model go together; without labels they ask for the default set. */
export interface FirmwareSetQuery {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}
