import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createGates, type Gates } from '../bmc/index.ts';
import type { Egress } from '../egress/index.ts';
import {
  type Bus,
  createLeisure,
  createWorker,
  type Worker,
  type WorkerPort,
  type WorkHandler,
} from '../engine/index.ts';
import type { ArtifactCache } from '../firmware-store/index.ts';
import { type Clock, type Random, systemClock } from '../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger, type Tracer } from '../telemetry/index.ts';
import { createBiosHandler } from './conditions/bios-handler.ts';
import { createControlHandler } from './conditions/control-handler.ts';
import { readInstallParameters } from './conditions/install-schema.ts';
import { createInventoryHandler, storeInventory } from './conditions/inventory-handler.ts';
import { createMediaHandler } from './conditions/media-handler.ts';
import type { HandlerContext, InventorySink } from './conditions/ports.ts';
import { createPowerHandler, type PowerKind } from './conditions/power-handler.ts';
import { withinTime } from './conditions/within-time.ts';
import { createFlasherMetrics } from './flasher-metrics.ts';
import type { FirmwareCatalogue, ImageAddress, InstallContext, ServerDirectory } from './install/ports.ts';
import { createRestartMemory } from './install/restart-memory.ts';
import { runInstall } from './install/run-install.ts';
import { defaultInstallSettings, type InstallSettings } from './install/settings.ts';
import type { Firmware } from './plan/firmware.ts';

/** What a flasher is made of. */
export interface FlasherOptions {
  /** Of the engine in this process, or of one over HTTP. */
  readonly port: WorkerPort;
  readonly servers: ServerDirectory;
  readonly catalogue: FirmwareCatalogue;
  readonly inventorySink: InventorySink;
  /** Stays open when the flasher stops. */
  readonly artifacts: ArtifactCache;
  readonly facilities: readonly string[];
  /** Kinds that are left to others, such as an update service with another strategy. */
  readonly without?: readonly string[];
  /** Conditions at once; 5 unless given. */
  readonly concurrency?: number;
  /** Unique in each life of the process; made up unless given. */
  readonly id?: string;
  /** The gates of this process, which then stay open; its own unless given. */
  readonly gates?: Gates;
  /** Where BMCs that pull can fetch an image; from where it is published, unless that needs credentials. */
  readonly imageAddress?: ImageAddress;
  /** What BMCs may be told to fetch; all but guarded addresses unless given. */
  readonly egress?: Pick<Egress, 'check'> | undefined;
  readonly settings?: Partial<InstallSettings>;
  readonly bus?: Pick<Bus, 'listen'>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly tracer?: Tracer;
}

/** A flasher that runs until it is stopped. */
export interface Flasher {
  readonly worker: Worker;
  /** Lets go at safe points what goes on, and logs out of all BMCs. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Makes a flasher and starts it: a worker for installs, inventories, power and BIOS settings. */
export function createFlasher(options: FlasherOptions): Flasher {
  const { clock = systemClock, random = Math.random, logger = silentLogger, metrics = noMetrics } = options;
  const gates = options.gates ?? createGates({ clock, random, logger, metrics });
  const { without = [] } = options;
  const all = Object.entries(flasherHandlers(createHandlerContext({ ...options, gates })));
  const handlers = Object.fromEntries(all.filter(([kind]) => !without.includes(kind)));
  const id = options.id ?? `flasher/${hostname()}/${randomUUID()}`;
  const worker = createWorker({
    port: options.port,
    identity: { id, kinds: Object.keys(handlers), facilities: options.facilities },
    handlers,
    concurrency: options.concurrency ?? 5,
    clock,
    random,
    logger,
    metrics,
    leisure: createLeisure({ clock }),
    ...(options.bus === undefined ? {} : { bus: options.bus }),
    ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
  });
  return {
    worker,
    async stop(how) {
      await worker.stop(how);
      if (options.gates === undefined) await gates.close();
    },
  };
}

/** What the handlers of a flasher work with besides leases. */
export type HandlerContextOptions = Omit<
  FlasherOptions,
  'port' | 'facilities' | 'without' | 'concurrency' | 'id' | 'bus' | 'tracer'
> & {
  readonly gates: Gates;
};

/** Puts together what handlers work with. */
export function createHandlerContext(options: HandlerContextOptions): HandlerContext {
  const { clock = systemClock, random = Math.random, logger = silentLogger, metrics = noMetrics } = options;
  return {
    gates: options.gates,
    clock,
    random,
    logger,
    servers: options.servers,
    catalogue: options.catalogue,
    artifacts: options.artifacts,
    inventorySink: options.inventorySink,
    imageAddress: options.imageAddress ?? publishedAddress,
    egress: options.egress,
    metrics: createFlasherMetrics(metrics),
    settings: { ...defaultInstallSettings, ...options.settings },
    restarts: createRestartMemory(),
  };
}

/** The handlers of a flasher, by kind. */
export function flasherHandlers(context: HandlerContext): Readonly<Record<string, WorkHandler>> {
  const { followMs } = context.settings;
  const installing: InstallContext = {
    ...context,
    readInventory: (work, held) => storeInventory(held, { work, context }),
  };
  // What switches or restarts something waits for updates first, which takes up to that long.
  const power = (kind: PowerKind) => withinTime(followMs + 2 * hour, createPowerHandler(kind, context), context);
  return {
    // Each of its steps has its own time.
    firmwareInstall: (work) => runInstall(work, readInstallParameters(work.condition.parameters), installing),
    inventoryOOB: withinTime(hour, createInventoryHandler(context), context),
    powerOn: power('powerOn'),
    powerOff: power('powerOff'),
    powerCycleHard: power('powerCycleHard'),
    powerCycleSoft: power('powerCycleSoft'),
    biosControl: withinTime(followMs + 4 * hour, createBiosHandler(context), context),
    serverControl: withinTime(followMs + 2 * hour, createControlHandler(context), context),
    virtualMediaMount: withinTime(hour, createMediaHandler(context), context),
  };
}

const hour = 3_600_000;

/** BMCs are told only addresses that need no credentials: what they are told they keep, and show. */
function publishedAddress({ url }: Firmware): { readonly uri: string } | undefined {
  const address = new URL(url);
  const isServed = address.protocol === 'https:' || address.protocol === 'http:';
  return isServed && address.username === '' && address.password === '' ? { uri: url } : undefined;
}
