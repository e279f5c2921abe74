import type { BmcEndpoint, Gates, KnownMachine } from '../../bmc/index.ts';
import type { Egress } from '../../egress/index.ts';
import type { Work } from '../../engine/index.ts';
import type { ArtifactCache } from '../../firmware-store/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { FlasherMetrics } from '../flasher-metrics.ts';
import type { HeldBmc } from '../held-bmc.ts';
import type { Firmware } from '../plan/firmware.ts';
import type { RestartMemory } from './restart-memory.ts';
import type { InstallSettings } from './settings.ts';

/** Where a server's BMC is and how to log in there. */
export interface ServerAccess {
  readonly endpoint: BmcEndpoint;
  /** The system this is about, where the BMC has several. */
  readonly systemPath?: string;
  /** What the server is known by; work is kept from any other machine. What is not known is not compared. */
  readonly machine?: KnownMachine;
}

/** Knows servers. */
export interface ServerDirectory {
  /** Undefined when no BMC is known for the target. */
  find(target: string): Promise<ServerAccess | undefined>;
}

/** Knows firmware sets. */
export interface FirmwareCatalogue {
  /** Undefined when there is no such set. */
  readSet(id: string): Promise<readonly Firmware[] | undefined>;
}

/** Where a BMC that pulls can fetch an image from; undefined where nowhere. */
export type ImageAddress = (firmware: Firmware) => { readonly uri: string } | undefined;

/** What an install needs of the process it runs in. */
export interface InstallContext {
  readonly gates: Gates;
  readonly servers: ServerDirectory;
  readonly catalogue: FirmwareCatalogue;
  readonly artifacts: ArtifactCache;
  readonly imageAddress: ImageAddress;
  /** What BMCs may be told to fetch; all but guarded addresses unless given. */
  readonly egress?: Pick<Egress, 'check'> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: FlasherMetrics;
  readonly settings: InstallSettings;
  /** What earlier installs of this process showed of how long BMCs take to restart; nothing is known unless given. */
  readonly restarts?: RestartMemory;
  /** Reads and stores the inventory under the lease of an install; nothing is read after it unless given. */
  readonly readInventory?: (work: Work, held: HeldBmc) => Promise<unknown>;
}
