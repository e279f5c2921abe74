import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsTrust } from '../../bmc/index.ts';
import type { Bus, WorkerPort } from '../../engine/index.ts';
import {
  createArtifactCache,
  createFlasher,
  defaultInstallSettings,
  type FirmwareCatalogue,
  type ImageAddress,
  type InstallSettings,
  type InventorySink,
  type ServerDirectory,
} from '../../flasher/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { CliError } from '../errors.ts';
import type { RackImages } from './rack-images.ts';

/** What a flasher of this process is made of. */
export interface FlasherParts {
  readonly port: WorkerPort;
  readonly servers: ServerDirectory;
  readonly catalogue: FirmwareCatalogue;
  readonly inventorySink: InventorySink;
  readonly bus?: Bus | undefined;
  readonly dataDir: string;
  readonly facilities: readonly string[];
  readonly concurrency: number;
  readonly logger: Logger;
  /** The same in each life where only one process can have it; made up otherwise. */
  readonly id?: string | undefined;
  /** Of the simulated rack, whose images move and whose time is faster. */
  readonly rack?: { readonly images: RackImages; readonly speed: number } | undefined;
}

/** The most that images take on disk. */
const imagesBytes = 20 * 1024 ** 3;

/** A flasher that runs. */
export interface RunningFlasher {
  readonly online: Promise<void>;
  stop(): Promise<void>;
}

/** How long work may take to reach a safe point when the process is told to stop. */
const graceMs = 3000;

/** Starts a flasher. */
export async function startFlasher(parts: FlasherParts): Promise<RunningFlasher> {
  const { logger, rack } = parts;
  const cache = await createArtifactCache({ folder: join(parts.dataDir, 'images'), maxBytes: imagesBytes, logger });
  const imageAddress: { imageAddress?: ImageAddress } =
    rack === undefined ? {} : { imageAddress: rack.images.imageAddress };
  const flasher = createFlasher({
    port: parts.port,
    servers: parts.servers,
    catalogue: parts.catalogue,
    inventorySink: parts.inventorySink,
    facilities: parts.facilities,
    concurrency: parts.concurrency,
    logger,
    artifacts: rack === undefined ? cache : rack.images.follow(cache),
    settings: rack === undefined ? {} : inFastTime(rack.speed),
    ...imageAddress,
    ...(parts.id === undefined ? {} : { id: parts.id }),
    ...(parts.bus === undefined ? {} : { bus: parts.bus }),
  });
  return {
    online: flasher.worker.online,
    async stop() {
      await flasher.stop({ graceMs });
      await cache.close();
    },
  };
}

/** Where minutes pass in a second, looking every few seconds would be looking every few minutes. */
function inFastTime(speed: number): Partial<InstallSettings> {
  const factor = Math.max(1, speed);
  const scaled = (ms: number, least: number): number => Math.max(least, Math.round(ms / factor));
  const { poll, verify, retry } = defaultInstallSettings;
  const pollOf = ({ first, most }: { first: number; most: number }) => ({
    first: scaled(first, 100),
    most: scaled(most, 500),
  });
  return {
    poll: pollOf(poll),
    verify: { ...verify, poll: pollOf(verify.poll) },
    retry: { baseMs: scaled(retry.baseMs, 200), maxMs: scaled(retry.maxMs, 1000) },
    tellEveryMs: 500,
  };
}

/** How certificates of BMCs are checked: against the authorities of a file, or those of the system. */
export function readTrust(bmcCa: string | undefined): TlsTrust {
  if (bmcCa === undefined) return { kind: 'system' };
  try {
    return { kind: 'ca', caPem: readFileSync(bmcCa, 'utf8') };
  } catch (cause) {
    throw new CliError('usage', `--bmc-ca: ${bmcCa} cannot be read`, { cause });
  }
}
