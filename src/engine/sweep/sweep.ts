import { type Clock, sleep } from '../../kube/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { numberOf, textOf } from '../conditions/condition-row.ts';
import type { EngineContext } from '../context.ts';
import type { CreateOrder, CreateOutcome, Engine, SweepReport } from '../engine.ts';
import { forgetLeaseHolders } from '../leases/hand-over.ts';
import { shareBmcs } from '../machines/canonical-addresses.ts';
import { scheduleRereads } from '../rereads/rereads.ts';
import { collectGarbage } from './collect.ts';
import { failUnrunnable, passDeadlines } from './deadlines.ts';
import { expireLeases } from './expire-leases.ts';
import { endLostLeases, loseWorkers } from './lose-workers.ts';
import { settleStuck } from './settle-stuck.ts';
import { createSilenceWatch } from './silence-watch.ts';

/** Does what has to be done at intervals. Several processes may do it at once. */
export interface Sweeper {
  sweep(): Promise<SweepReport>;
}

/** How often garbage is collected, and what nothing can run is looked for; neither is urgent. */
const collectEveryMs = 60_000;

/** How often what is final of machines that are gone is looked for. */
const thoroughEveryMs = 3_600_000;

/** At most this many conditions are published in a round; the store has the rest. */
const mostPublished = 1000;

/** What a sweeper starts with. */
export interface SweeperStart {
  readonly areBmcsShared: boolean;
  readonly create: (order: CreateOrder) => Promise<CreateOutcome>;
}

/** Makes the sweeper of one engine. Until machines on one BMC could be given one lock, it tries that again. */
export function createSweeper(context: EngineContext, start: SweeperStart): Sweeper {
  let { areBmcsShared } = start;
  const silence = createSilenceWatch();
  let publishedAt = Number.NEGATIVE_INFINITY;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let judgedAt = Number.NEGATIVE_INFINITY;
  let thoroughAt = Number.NEGATIVE_INFINITY;
  const isDue = (last: number, everyMs: number): boolean => context.clock.monotonic() - last >= everyMs;
  return {
    async sweep() {
      await lookAtClock(context);
      await forgetLeaseHolders(context);
      const lostControllers = await loseWorkers(context, silence);
      const expiredLeases = (await endLostLeases(context)) + (await expireLeases(context));
      const failedByDeadline = await passDeadlines(context);
      const scheduledReadings = await scheduleRereads(context, start.create);
      let failedAsUnrunnable = 0;
      if (isDue(judgedAt, collectEveryMs)) {
        judgedAt = context.clock.monotonic();
        await settleStuck(context);
        if (!areBmcsShared) areBmcsShared = await shareBmcs(context);
        failedAsUnrunnable = await failUnrunnable(context);
      }
      let published = 0;
      if (isDue(publishedAt, context.settings.publishEveryMs)) {
        publishedAt = context.clock.monotonic();
        published = await publish(context);
      }
      let collected = 0;
      if (isDue(collectedAt, collectEveryMs)) {
        collectedAt = context.clock.monotonic();
        const isThorough = isDue(thoroughAt, thoroughEveryMs);
        if (isThorough) thoroughAt = context.clock.monotonic();
        collected = await collectGarbage(context, { isThorough });
      }
      const failed = { failedByDeadline, failedAsUnrunnable };
      return { lostControllers, expiredLeases, ...failed, scheduledReadings, published, collected };
    },
  };
}

async function lookAtClock(context: EngineContext): Promise<void> {
  const before = context.clock.monotonic();
  const now = await context.database.read(async (tx) => tx.now);
  await context.clockWatch.mind({ now, before, after: context.clock.monotonic() });
}

/** Publishes what can be leased until it is final: whoever missed a hint gets another one. */
async function publish(context: EngineContext): Promise<number> {
  const { rows, pending, active } = await context.database.read(async (tx) => ({
    rows: await tx.all(
      `SELECT id, facility, kind FROM conditions WHERE state = 'pending' AND is_ready = 1 AND not_before <= ?
        ORDER BY created_at, id LIMIT ?`,
      tx.now,
      mostPublished,
    ),
    pending: await tx.first(`SELECT count(*) AS n FROM conditions WHERE state = 'pending'`),
    active: await tx.first(`SELECT count(*) AS n FROM conditions WHERE state = 'active'`),
  }));
  context.metrics.standing({ pending: numberOf(pending ?? {}, 'n'), active: numberOf(active ?? {}, 'n') });
  context.hints.work(
    rows.map((row) => ({
      facility: textOf(row, 'facility'),
      kind: textOf(row, 'kind'),
      conditionId: textOf(row, 'id'),
    })),
  );
  return rows.length;
}

/** How an engine is swept at intervals. */
export interface SweepingOptions {
  readonly clock: Clock;
  /** 5 s unless given. */
  readonly everyMs?: number;
  readonly logger?: Logger;
}

/** Sweeps an engine until stopped; a round that fails is made up for by the next. Stopping waits for the round that runs. */
export function startSweeping(engine: Pick<Engine, 'sweep'>, options: SweepingOptions): { stop(): Promise<void> } {
  const { clock, everyMs = 5000, logger = silentLogger } = options;
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await engine
        .sweep()
        .catch((error: unknown) => logger.warn('a sweep failed; the next one makes up for it', { error }));
      await sleep(clock, everyMs, stopping.signal);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
