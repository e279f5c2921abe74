import type { Database } from '../../engine/index.ts';
import type { HeldLease } from './job-tokens.ts';

/** Remembers which process took which job. */
export interface JobTakers {
  /** True for the first that takes a job under a lease, however often it asks; false for every other. */
  take(lease: HeldLease, taker: string): Promise<boolean>;
}

/** Much longer than any lease is held. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Makes the book of takers, in the store that all processes share. */
export function createJobTakers(database: Database): JobTakers {
  return {
    take: ({ conditionId, token }, taker) =>
      database.write(async (tx) => {
        await tx.run(`DELETE FROM update_takers WHERE taken_at < ?`, tx.now - keptMs);
        const row = await tx.first(
          `INSERT INTO update_takers (condition_id, token, taker, taken_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (condition_id) DO UPDATE SET
             taker = CASE WHEN update_takers.token < excluded.token THEN excluded.taker ELSE update_takers.taker END,
             taken_at = CASE WHEN update_takers.token < excluded.token THEN excluded.taken_at ELSE update_takers.taken_at END,
             token = CASE WHEN update_takers.token < excluded.token THEN excluded.token ELSE update_takers.token END
           RETURNING token, taker`,
          ...[conditionId, token, taker, tx.now],
        );
        return Number(row?.token) === token && row?.taker === taker;
      }),
  };
}
