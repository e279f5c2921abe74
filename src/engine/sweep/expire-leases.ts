import { readStored } from '../conditions/condition-row.ts';
import { type Aftermath, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { lockFound } from '../conditions/lock-lines.ts';
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
