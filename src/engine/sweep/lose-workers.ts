import type { JsonObject } from '../condition.ts';
import { numberOf, readStored, textOf } from '../conditions/condition-row.ts';
import { type Aftermath, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { lockFound } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import type { EngineContext } from '../context.ts';
import { takeAway } from '../leases/give-up.ts';
import type { Row, Transaction } from '../store/database.ts';
import { isToBeWatched, type SilenceWatch } from './silence-watch.ts';

/** Keeps its leases: nobody knows whether it stopped working. */
const isUnfenced = `is_online = 1 AND lost_after_ms IS NULL AND seen_at <= ?`;
const isFenced = `is_online = 1 AND lost_after_ms IS NOT NULL`;

/** Finds workers that went silent, marks them offline and reports what they were doing. Returns their ids. */
export async function loseWorkers(context: EngineContext, watch: SilenceWatch): Promise<readonly string[]> {
  const unfencedBefore = (tx: Transaction) => tx.now - 2 * context.settings.controllerLostMs;
  const found = await context.database.read(async (tx) => ({
    now: tx.now,
    unfenced: await tx.first(`SELECT id FROM controllers WHERE ${isUnfenced}`, unfencedBefore(tx)),
    fenced: await tx.all(`SELECT id, seen_at, lost_after_ms FROM controllers WHERE ${isFenced}`),
  }));
  const silent = found.fenced
    .map((row) => ({
      id: textOf(row, 'id'),
      seenAt: numberOf(row, 'seen_at'),
      lostAfterMs: numberOf(row, 'lost_after_ms'),
    }))
    .filter((worker) => isToBeWatched(worker, found.now));
  const watched = watch.look(silent, context.clock.monotonic());
  const gone = watched.filter(({ seenAt, lostAfterMs }) => found.now - seenAt >= lostAfterMs);
  if (found.unfenced === undefined && gone.length === 0) return [];
  const lost = await context.write(async (tx) => {
    const set = `UPDATE controllers SET is_online = 0`;
    const rows = await tx.all(`${set} WHERE ${isUnfenced} RETURNING *`, unfencedBefore(tx));
    // One that was heard since then is there.
    for (const { id, seenAt } of gone)
      rows.push(...(await tx.all(`${set} WHERE ${isFenced} AND id = ? AND seen_at = ? RETURNING *`, id, seenAt)));
    for (const row of rows) await reportLoss(context, tx, row);
    return rows.map((row) => textOf(row, 'id'));
  });
  for (const controller of lost) {
    context.metrics.workerLost();
    context.logger.error('a worker went silent; its work is given to others', { controller });
  }
  return lost;
}

async function reportLoss(context: EngineContext, tx: Transaction, row: Row): Promise<void> {
  const detail = { controller: textOf(row, 'id'), seenAt: numberOf(row, 'seen_at') };
  const doing = await whatItDid(tx, detail.controller);
  await writeEvents(context, tx, [{ event: 'worker-lost', detail: { ...detail, doing } }]);
}

async function whatItDid(tx: Transaction, controller: string): Promise<JsonObject[]> {
  const rows = await tx.all(
    `SELECT * FROM conditions WHERE controller = ? AND finalized_at IS NULL ORDER BY created_at, id LIMIT 100`,
    controller,
  );
  return rows.map(readStored).map(({ condition }) => ({
    conditionId: condition.id,
    kind: condition.kind,
    target: condition.target,
    state: condition.state,
    status: condition.status,
    wasFlashing: condition.isCancelUnsafe,
  }));
}

/** Leases of workers that are fenced by heartbeats and gone, also of those that one got while it was marked. */
const isOfLost = `state = 'active' AND finalized_at IS NULL AND controller IN
  (SELECT id FROM controllers WHERE is_online = 0 AND lost_after_ms IS NOT NULL)`;

/** Ends the leases of workers that were lost. Returns how many. */
export async function endLostLeases(context: EngineContext): Promise<number> {
  const find = (tx: Transaction) =>
    tx.all(`SELECT * FROM conditions WHERE ${isOfLost} LIMIT ?`, context.settings.sweepRows);
  let ended = 0;
  for (;;) {
    if ((await context.database.read(find)).length === 0) return ended;
    const { aftermath, kinds } = await context.write(async (tx) => {
      const found = { rows: await find(tx), still: { sql: isOfLost, values: [] }, busy: 'skip' } as const;
      return await endSome(context, tx, await lockFound(context, tx, found));
    });
    for (const kind of kinds) context.metrics.leaseExpired(kind);
    tellAftermath(context, aftermath);
    ended += kinds.length;
    if (kinds.length < context.settings.sweepRows) return ended;
  }
}

async function endSome(
  context: EngineContext,
  tx: Transaction,
  rows: readonly Row[],
): Promise<{ readonly aftermath: Aftermath; readonly kinds: readonly string[] }> {
  const all: Aftermath[] = [];
  for (const stored of rows.map(readStored)) {
    const { controller = '', leaseUntil = tx.now } = stored.condition;
    const worker = await tx.first(`SELECT seen_at FROM controllers WHERE id = ?`, controller);
    const silentSince = new Date(numberOf(worker ?? {}, 'seen_at')).toISOString();
    const why = `${controller} has been silent since ${silentSince}`;
    // By its own clock it stopped before it was lost: only what had left it has to be waited for.
    const heldUntil = Math.min(tx.now, leaseUntil);
    all.push(await takeAway(context, tx, { stored, why, heldUntil, code: 'WorkerLost' }));
  }
  return { aftermath: joinAftermaths(all), kinds: rows.map((row) => textOf(row, 'kind')) };
}
