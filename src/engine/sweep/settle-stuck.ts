import { textOf } from '../conditions/condition-row.ts';
import { lockLines } from '../conditions/lock-lines.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';

/** Lines in which somebody waits though nobody is at work, could be leased, or is held back. */
const stuck = `SELECT DISTINCT lock_key FROM conditions c WHERE state = 'pending' AND is_turn = 1 AND is_ready = 0
  AND NOT EXISTS (SELECT 1 FROM conditions o
    WHERE o.lock_key = c.lock_key AND o.finalized_at IS NULL AND (o.state = 'active' OR o.is_ready = 1))
  AND NOT EXISTS (SELECT 1 FROM machines m LEFT JOIN claims k ON k.owner = m.claim_owner WHERE m.id = c.machine_id
    AND (m.hold_code IS NOT NULL OR m.claim_rival IS NOT NULL OR (k.use_code IS NOT NULL AND k.owner <> c.owner)
      OR k.work IS NOT NULL OR k.turn <> 'ours')) LIMIT ?`;

/**
 * Settles lines that stand still for no reason. Whoever changes a line settles it, so there should be none; but a mistake
 * must cost a minute here, not the work that waits. Returns how many there were.
 */
export async function settleStuck(context: EngineContext): Promise<number> {
  const rows = await context.database.read((tx) => tx.all(stuck, context.settings.sweepRows));
  const keys = rows.map((row) => textOf(row, 'lock_key'));
  if (keys.length === 0) return 0;
  const ready = await context.write(async (tx) => {
    await lockLines(context, tx, keys);
    return await settleKeys(tx, keys);
  });
  if (ready.length > 0) context.logger.error('lines of work stood still and were settled', { keys });
  context.hints.work(ready);
  return ready.length;
}
