import type { Clock, Random } from '../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import type { Bus } from './bus/bus.ts';
import { createClaims } from './claims/claims.ts';
import { cancelCondition } from './conditions/cancel.ts';
import { changeCondition, removeCondition } from './conditions/change.ts';
import { createConditions } from './conditions/create.ts';
import { getCondition, listConditions } from './conditions/list.ts';
import { joinNote } from './conditions/note.ts';
import { eventsAfter, lastEvent, numberAfter } from './conditions/outbox.ts';
import { createQueueCount } from './conditions/queue-count.ts';
import { sealStoredUrls, type UrlSealer, withOpenedUrls } from './conditions/sealed-urls.ts';
import type { EngineContext } from './context.ts';
import type { Engine, EngineLimits } from './engine.ts';
import { createEngineMetrics } from './engine-metrics.ts';
import { isEngineError } from './errors.ts';
import { createHints } from './hints.ts';
import { createIds } from './ids.ts';
import { createKindTable } from './kind-table.ts';
import type { KindDefinition } from './kinds.ts';
import { createClockWatch } from './leases/clock-watch.ts';
import { listControllers } from './leases/controllers.ts';
import { createEnginePort } from './leases/engine-port.ts';
import { handOverLease } from './leases/hand-over.ts';
import { joinReport } from './leases/report.ts';
import { canonicaliseAddresses, shareBmcs } from './machines/canonical-addresses.ts';
import { createMachines } from './machines/machines.ts';
import { findOutdated } from './rereads/rereads.ts';
import { engineMigrations } from './schema.ts';
import { defaultLimits, defaultSettings, type EngineSettings } from './settings.ts';
import { type Database, migrate, readStoreId } from './store/index.ts';
import { createSweeper } from './sweep/sweep.ts';

/** What an engine is made of. */
export interface EngineOptions {
  /** Opened by the caller, who also closes it. */
  readonly database: Database;
  readonly kinds: readonly KindDefinition[];
  readonly clock: Clock;
  /** Seals URLs with log-ins where they are stored; without one, orders with such URLs are refused. */
  readonly sealer?: UrlSealer | undefined;
  readonly random?: Random;
  readonly bus?: Bus;
  readonly limits?: Partial<EngineLimits>;
  readonly settings?: Partial<EngineSettings>;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Makes an engine on a database, whose tables are brought up to date first. Closing it closes neither database nor bus. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { database } = options;
  await migrate(database, engineMigrations, { schema: 'engine' });
  const storeId = await readStoreId(database);
  let limits: EngineLimits = { ...defaultLimits, ...options.limits };
  const context = createContext(options, () => limits);
  await sealStoredUrls(context, database);
  await canonicaliseAddresses(context);
  const areBmcsShared = await shareBmcs(context);
  const queue = createQueueCount(context);
  const port = createEnginePort(context);
  const sweeper = createSweeper(context, {
    areBmcsShared,
    create: (order) => createConditions(context, queue, order),
  });
  const countRefusals = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (isEngineError(error)) context.metrics.refused(error.code);
      throw error;
    });
  return {
    storeId,
    kinds: options.kinds,
    create: (order) => countRefusals(createConditions(context, queue, order)),
    get: (id) => getCondition(context, id),
    list: (query) => listConditions(context, query),
    change: (id, change) => changeCondition(context, id, change),
    cancel: (id, by) => cancelCondition(context, id, by),
    remove: (id) => removeCondition(context, id),
    eventsAfter: (seq, limit) => eventsAfter(context, seq, limit),
    lastEvent: () => lastEvent(context),
    numberAfter: (seq) => numberAfter(context, seq),
    machines: createMachines(context),
    claims: createClaims(context),
    worker: port,
    handOver: (lease) => handOverLease(context, lease),
    joinNote: (tx, note) => joinNote(context, tx, note),
    joinReport: (tx, lease, report) => joinReport(context, tx, { lease, report }),
    outdated: (machineId) => findOutdated(context, machineId),
    controllers: () => listControllers(context),
    sweep: () => sweeper.sweep(),
    get limits() {
      return limits;
    },
    setLimits(changed) {
      limits = { ...limits, ...changed };
    },
    onHint: (listener) => context.hints.onHint(listener),
    async close() {
      await port.close();
      context.hints.close();
    },
  };
}

function createContext(options: EngineOptions, limits: () => EngineLimits): EngineContext {
  const { sealer, clock, random = Math.random, bus, logger = silentLogger } = options;
  const database = withOpenedUrls(options.database, { sealer });
  const metrics = createEngineMetrics(options.metrics ?? noMetrics);
  const parts: Omit<EngineContext, 'clockWatch'> = {
    database,
    sealer,
    clock,
    random,
    logger,
    metrics,
    limits,
    kinds: createKindTable(options.kinds),
    settings: { ...defaultSettings, ...options.settings },
    hints: createHints({ bus, logger, metrics }),
    newId: createIds(),
    write: (work) => database.write(work, { isolation: 'row-locks' }),
  };
  return { ...parts, clockWatch: createClockWatch(parts) };
}
