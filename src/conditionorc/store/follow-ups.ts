import type { Database, Transaction } from '../../engine/index.ts';

/** Installs that are to be followed by an inventory of their server, though it is not in their unit. */
export interface FollowUps {
  /** Remembers it; twice is once. */
  add(conditionId: string): Promise<void>;
  /** Which of these are to be followed. */
  among(conditionIds: readonly string[]): Promise<readonly string[]>;
}

/** The follow-ups kept in the store. */
export function createFollowUps(database: Database): FollowUps {
  return {
    async add(conditionId) {
      await database.write((tx) =>
        tx.run(
          `INSERT INTO orc_follow_ups (condition_id, created_at) VALUES (?, ?) ON CONFLICT (condition_id) DO NOTHING`,
          conditionId,
          tx.now,
        ),
      );
    },
    async among(conditionIds) {
      if (conditionIds.length === 0) return [];
      const marks = conditionIds.map(() => '?').join(', ');
      const sql = `SELECT condition_id FROM orc_follow_ups WHERE condition_id IN (${marks}) ORDER BY condition_id`;
      const rows = await database.read((tx) => tx.all(sql, ...conditionIds));
      return rows.map((row) => String(row.condition_id));
    },
  };
}

/** Forgets what was followed. */
export async function forgetFollowUps(tx: Transaction, conditionIds: readonly string[]): Promise<void> {
  for (const id of conditionIds) await tx.run(`DELETE FROM orc_follow_ups WHERE condition_id = ?`, id);
}
