import type { FirmwareComponent } from '../../parts/index.ts';

/** A firmware image that somebody wants installed, as the catalogue describes it. */
export interface Firmware {
  readonly id: string;
  /** Of the server, or of the part. */
  readonly vendor: string;
  readonly component: FirmwareComponent;
  /** Empty where nobody knows it: then the image is installed whatever is there. */
  readonly version: string;
  readonly filename: string;
  readonly url: string;
  /** `sha256:...`; empty where the catalogue has none. */
  readonly checksum: string;
  readonly sizeBytes?: number;
  /** Server or part models that it is for; any when empty. */
  readonly models: readonly string[];
  /** Must be installed by a tool on the host; not by way of the BMC. */
  readonly isInband: boolean;
  /** The vendor's own ids of what the image is for, where the catalogue knows them: it is for nothing else. */
  readonly softwareIds?: readonly string[];
  /** Slots of the parts that it is installed on; all that it fits unless given. */
  readonly slots?: readonly string[];
}
