import { randomUUID } from 'node:crypto';
import { type Bus, type Database, type Engine, type EngineEvent, startSweeping } from '../../engine/index.ts';
import { type Clock, type Random, sleep, systemClock } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { createOrcMetrics, type OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { forgetNotices, insertNotices } from '../store/notice-book.ts';
import { type OrcStore, openOrcStore } from '../store/orc-store.ts';
import { doValidations } from '../validation/do-validations.ts';
import { deliverNotices } from './deliver-notices.ts';
import { type EventFollower, followEvents } from './follow-events.ts';
import { hintWhoComesOnline } from './hint-online.ts';
import { decideNotice, type Notice } from './notice.ts';
import { createEndRecorder } from './record-ends.ts';
import { createWebhook, type Webhook, type WebhookOptions } from './webhook.ts';

/** What conditionOrc's loop is made of. */
export interface OrcLoopOptions {
  readonly engine: Engine;
  /** The engine's; conditionOrc has tables of its own in it. */
  readonly database: Database;
  readonly bus?: Bus | undefined;
  readonly inventory?: InventoryPort | undefined;
  readonly webhook?: WebhookOptions | undefined;
  /** Told of every notice that this process found, besides the webhook. */
  readonly onNotice?: (notice: Notice) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** How often the engine is swept and its events are followed; 5 s unless given. */
  readonly everyMs?: number;
  /** How long notices are kept; 90 days unless given. */
  readonly noticesMs?: number;
}

/** The loop while it runs. */
export interface OrcLoop {
  /** Resolves when the round that runs has ended; afterwards nothing is started any more. */
  stop(): Promise<void>;
}

const day = 24 * 60 * 60_000;

interface LoopParts {
  readonly options: OrcLoopOptions;
  readonly store: OrcStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OrcMetrics;
  readonly everyMs: number;
  readonly stopping: AbortSignal;
}

/**
 * Runs what conditionOrc does by itself, until it is stopped: gives the work of dead and hung workers to others,
 * publishes what is not final until it is, lets deadlines pass, collects garbage, hints workers that come online, tells
 * operators of controllers that died, and writes ends into the history. Several processes may run it on one store.
 */
export async function runConditionOrc(options: OrcLoopOptions): Promise<OrcLoop> {
  const store = await openOrcStore(options.database);
  const stop = new AbortController();
  const { clock = systemClock, logger = silentLogger, everyMs = 5000, bus } = options;
  const metrics = createOrcMetrics(options.metrics ?? noMetrics);
  const webhook = options.webhook === undefined ? undefined : createWebhook(options.webhook);
  const parts: LoopParts = { options, store, clock, logger, metrics, everyMs, stopping: stop.signal };
  const sweeping = startSweeping(observed(parts), { clock, everyMs, logger });
  const unhint =
    bus === undefined ? undefined : await hintWhoComesOnline({ engine: options.engine, bus, logger, metrics });
  const tasks = [
    repeat(parts, 'following events', followAll(parts)),
    deliver(parts, webhook),
    validate(parts),
    forget(parts),
  ];
  return {
    async stop() {
      stop.abort();
      await Promise.all([sweeping.stop(), unhint?.(), ...tasks]);
    },
  };
}

/** Counts what a sweep found. */
function observed({ options, metrics }: LoopParts): Pick<Engine, 'sweep'> {
  return {
    async sweep() {
      const report = await metrics.watchDependency('store', 'sweep', options.engine.sweep());
      metrics.stale(report.expiredLeases);
      const online = (await options.engine.controllers()).filter(({ isOnline }) => isOnline);
      const able = (kind: string) => online.filter(({ kinds }) => kinds.includes(kind)).length;
      // Also those that nobody does: that is what operators want to see.
      metrics.workers(online.length, new Map(options.engine.kinds.map(({ kind }) => [kind, able(kind)])));
      return report;
    },
  };
}

/** Does something at every interval; what fails is made up for by the next round. */
async function repeat(parts: LoopParts, what: string, work: () => Promise<unknown>): Promise<void> {
  const { clock, logger, everyMs, stopping } = parts;
  while (!stopping.aborted) {
    await work().catch((error: unknown) => {
      parts.metrics.dependencyFailed('store', what);
      logger.warn(`${what} failed; it is tried again`, { error });
    });
    await sleep(clock, everyMs, stopping);
  }
}

function followAll(parts: LoopParts): () => Promise<void> {
  const { options, metrics, logger } = parts;
  const { engine } = options;
  const ends = createEndRecorder({ engine, inventory: options.inventory, metrics, logger });
  const notices = createNoticeTaker(parts);
  return async () => {
    // None waits for another: an inventory that is away must not keep operators in the dark.
    const results = await Promise.allSettled([notices, ends].map((follower) => followEvents(options, follower)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
}

function createNoticeTaker({ options, metrics, logger }: LoopParts): EventFollower {
  const delivery = options.webhook === undefined ? 'none' : 'waiting';
  const noticesOf = (events: readonly EngineEvent[]) => events.flatMap((event) => decideNotice(event) ?? []);
  return {
    name: 'notices',
    within: (tx, events) => insertNotices(tx, noticesOf(events), delivery),
    after(events) {
      for (const notice of noticesOf(events)) {
        metrics.notice(notice.type);
        logger.error(notice.message, { notice: notice.seq, type: notice.type, controller: notice.controller });
        options.onNotice?.(notice);
      }
    },
  };
}

async function deliver(parts: LoopParts, webhook: Webhook | undefined): Promise<void> {
  const { options, logger, metrics, stopping } = parts;
  if (webhook === undefined) return;
  // Whoever does not answer must not keep us from stopping.
  stopping.addEventListener('abort', () => void webhook.close(), { once: true });
  const random = options.random ?? Math.random;
  const { database } = options;
  await repeat(parts, 'delivering notices', () =>
    deliverNotices({ database, webhook, random, logger, metrics }, stopping),
  );
}

async function validate(parts: LoopParts): Promise<void> {
  const { options, logger, clock } = parts;
  const { inventory, engine } = options;
  if (inventory === undefined) return;
  const workerId = `conditionorc/${randomUUID()}`;
  await repeat(parts, 'writing validations down', () =>
    doValidations({ engine, inventory, workerId, now: () => clock.now(), logger }),
  );
}

/** Not urgent, and not worth a write in every round. */
const forgetEveryMs = 3_600_000;

async function forget(parts: LoopParts): Promise<void> {
  const { database, noticesMs = 90 * day } = parts.options;
  await repeat({ ...parts, everyMs: forgetEveryMs }, 'forgetting notices', () => forgetNotices(database, noticesMs));
}
