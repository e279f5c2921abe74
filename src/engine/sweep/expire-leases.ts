import type { JsonObject } from '../condition.ts';
import { numberOf, readStored, textOf } from '../conditions/condition-row.ts';
import { type Aftermath, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { lockFound } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import type { EngineContext } from '../context.ts';
import { takeAway } from '../leases/give-up.ts';
import type { Transaction } from '../store/database.ts';

/** Makes conditions whose lease ended pending again. Returns how many. */
export async function expireLeases(context: EngineContext): Promise<number> {
  let expired = 0;
  for (;;) {
    const found = await context.database.read((tx) => findExpired(context, tx));
    if (found.length === 0) return expired;
    const { aftermath, kinds } = await context.write((tx) => expireSome(context, tx));
    for (const kind of kinds) context.metrics.leaseExpired(kind);
    tellAftermath(context, aftermath);
    expired += kinds.length;
    if (kinds.length < context.settings.sweepRows) return expired;
  }
}

const isOver = `state = 'active' AND lease_until <= ?`;

function findExpired(context: EngineContext, tx: Transaction) {
  const query = `SELECT * FROM conditions WHERE ${isOver} ORDER BY lease_until LIMIT ?`;
  return tx.all(query, tx.now, context.settings.sweepRows);
}

async function expireSome(
  context: EngineContext,
  tx: Transaction,
): Promise<{ readonly aftermath: Aftermath; readonly kinds: readonly string[] }> {
  const all: Aftermath[] = [];
  const kinds: string[] = [];
  const found = await findExpired(context, tx);
  const still = { sql: isOver, values: [tx.now] };
  for (const stored of (await lockFound(context, tx, { rows: found, still, busy: 'skip' })).map(readStored)) {
    const { controller, leaseUntil, kind } = stored.condition;
    const why = `the lease of ${controller ?? 'a worker'} ended without progress`;
    all.push(await takeAway(context, tx, { stored, why, heldUntil: leaseUntil ?? tx.now }));
    kinds.push(kind);
  }
  return { aftermath: joinAftermaths(all), kinds };
}

/** Finds workers that went silent, marks them offline and tells what they were doing. Returns their ids. */
export async function loseControllers(context: EngineContext): Promise<readonly string[]> {
  const isSilent = `is_online = 1 AND seen_at <= ?`;
  const seenBefore = (tx: Transaction) => tx.now - context.settings.controllerLostMs;
  const silent = await context.database.read((tx) =>
    tx.first(`SELECT id FROM controllers WHERE ${isSilent}`, seenBefore(tx)),
  );
  if (silent === undefined) return [];
  const lost = await context.write(async (tx) => {
    const rows = await tx.all(`UPDATE controllers SET is_online = 0 WHERE ${isSilent} RETURNING *`, seenBefore(tx));
    for (const row of rows) {
      const detail = { controller: textOf(row, 'id'), seenAt: numberOf(row, 'seen_at') };
      const doing = await whatItDid(tx, detail.controller);
      await writeEvents(context, tx, [{ event: 'worker-lost', detail: { ...detail, doing } }]);
    }
    return rows.map((row) => textOf(row, 'id'));
  });
  for (const controller of lost) {
    context.metrics.workerLost();
    context.logger.error('a worker went silent; its work is given to others when its leases end', { controller });
  }
  return lost;
}

async function whatItDid(tx: Transaction, controller: string): Promise<JsonObject[]> {
  const rows = await tx.all(
    `SELECT * FROM conditions WHERE controller = ? AND finalized_at IS NULL ORDER BY created_at, id LIMIT 100`,
    controller,
  );
  return rows.map(readStored).map(({ condition, isCancelUnsafe }) => ({
    conditionId: condition.id,
    kind: condition.kind,
    target: condition.target,
    state: condition.state,
    status: condition.status,
    wasFlashing: isCancelUnsafe,
  }));
}
