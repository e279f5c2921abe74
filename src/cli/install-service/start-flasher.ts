import { createGates, type Gates, type TlsTrust } from '../../bmc/index.ts';
import type { Bus, WorkerPort } from '../../engine/index.ts';
import {
  type ArtifactCacheOptions,
  createArtifactCache,
  createFlasher,
  createHandlerContext,
  type HandlerContext,
  type ImageAddress,
  type InstallSettings,
  type InventorySink,
} from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { Logger, Metrics, Tracer } from '../../telemetry/index.ts';
import { usageError } from '../errors.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { Settings } from '../settings.ts';
import type { InventoryAccess } from './inventory-access.ts';
import type { RackImages } from './rack-images.ts';
import { createServerDirectory, onlySimulated } from './server-directory.ts';

/** What a flasher of this process is made of. */
export interface FlasherParts {
  readonly port: WorkerPort;
  readonly inventory: InventoryAccess;
  /** Where inventories go, under the leases of the port. */
  readonly inventorySink: InventorySink;
  /** How certificates of BMCs are checked. */
  readonly trust: TlsTrust;
  readonly bus?: Bus | undefined;
  readonly images: Pick<
    ArtifactCacheOptions,
    'folder' | 'maxBytes' | 'areUnverifiedAllowed' | 'fileFolders' | 'egress'
  >;
  readonly facilities: readonly string[];
  /** Kinds of conditions that are left to others. */
  readonly without?: readonly string[] | undefined;
  readonly concurrency: number;
  readonly settings: Partial<InstallSettings>;
  /** The settings are too impatient for real servers. */
  readonly isRehearsal?: boolean;
  /** How long work may take to reach a safe point when the process is told to stop. */
  readonly graceMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  /** The same in each life where only one process can have it; made up otherwise. */
  readonly id?: string | undefined;
  /** Of the simulated rack, whose images move. */
  readonly rackImages?: RackImages | undefined;
  /** The gates of this process, where others talk to BMCs too; its own unless given. */
  readonly gates?: Gates | undefined;
}

/** A flasher that runs. */
export interface RunningFlasher {
  readonly online: Promise<void>;
  stop(): Promise<void>;
}

/** What handlers of this process work with besides leases. */
export type ToolParts = Omit<
  FlasherParts,
  'port' | 'bus' | 'facilities' | 'without' | 'concurrency' | 'graceMs' | 'id' | 'gates' | 'tracer'
>;

/** Starts a flasher. */
export async function startFlasher(parts: FlasherParts): Promise<RunningFlasher> {
  const { options, cache } = await openOptions(parts);
  const flasher = createFlasher({
    ...options,
    port: parts.port,
    facilities: parts.facilities,
    concurrency: parts.concurrency,
    ...(parts.without === undefined ? {} : { without: parts.without }),
    ...(parts.id === undefined ? {} : { id: parts.id }),
    ...(parts.bus === undefined ? {} : { bus: parts.bus }),
    ...(parts.gates === undefined ? {} : { gates: parts.gates }),
    ...(parts.tracer === undefined ? {} : { tracer: parts.tracer }),
  });
  return {
    online: flasher.worker.online,
    async stop() {
      await flasher.stop({ graceMs: parts.graceMs });
      await cache.close();
    },
  };
}

/** Opens what strategies work with, where jobs are run by an update service. */
export async function openTools(
  parts: ToolParts,
): Promise<{ readonly tools: HandlerContext; readonly close: () => Promise<void> }> {
  const { options, cache } = await openOptions(parts);
  const gates = createGates({ clock: systemClock, logger: parts.logger, metrics: parts.metrics });
  return {
    tools: createHandlerContext({ ...options, gates }),
    async close() {
      await gates.close();
      await cache.close();
    },
  };
}

async function openOptions(parts: ToolParts) {
  const { logger, metrics, rackImages, inventory } = parts;
  const cache = await createArtifactCache({ ...parts.images, logger, metrics });
  const imageAddress: { imageAddress?: ImageAddress } =
    rackImages === undefined ? {} : { imageAddress: rackImages.imageAddress };
  const servers = createServerDirectory(inventory, parts.trust);
  const options = {
    servers: parts.isRehearsal === true ? onlySimulated(servers) : servers,
    catalogue: { readSet: (id: string) => inventory.firmwareSet(id) },
    inventorySink: parts.inventorySink,
    settings: parts.settings,
    logger,
    metrics,
    egress: parts.images.egress,
    artifacts: rackImages === undefined ? cache : rackImages.follow(cache),
    ...imageAddress,
  };
  return { options, cache };
}

/** How certificates of BMCs are checked: against the authorities of a file, or those of the system, or not at all. */
export function readTrust({ bmcCa, bmcInsecure, bmcHttp }: Settings<'bmcCa' | 'bmcInsecure' | 'bmcHttp'>): TlsTrust {
  if (bmcInsecure && bmcCa !== undefined) throw usageError('--bmc-ca and --bmc-insecure yes contradict each other');
  const plain = bmcHttp ? { allowsHttp: true } : {};
  if (bmcInsecure) return { kind: 'insecure', ...plain };
  if (bmcCa === undefined) return { kind: 'system', ...plain };
  return { kind: 'ca', caPem: readOptionFile(bmcCa, '--bmc-ca'), ...plain };
}
