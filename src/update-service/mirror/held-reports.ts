import type { Condition, Database } from '../../engine/index.ts';

/** Updates that ended well, of which nobody is told before their server was read: what is installed is not known yet. */
export interface HeldReports {
  hold(update: Pick<Condition, 'id' | 'target'>): Promise<void>;
  /** Ids of the updates that wait for a reading of this target, the oldest first. */
  list(target: string): Promise<readonly string[]>;
  letGo(target: string, ids: readonly string[]): Promise<void>;
}

/** The held reports kept in the store. */
export function createHeldReports(database: Database): HeldReports {
  return {
    async hold({ id, target }) {
      await database.write((tx) =>
        tx.run(
          `INSERT INTO update_unread_updates (target, condition_id) VALUES (?, ?) ON CONFLICT DO NOTHING`,
          target,
          id,
        ),
      );
    },
    async list(target) {
      const rows = await database.read((tx) =>
        tx.all(`SELECT condition_id FROM update_unread_updates WHERE target = ? ORDER BY condition_id`, target),
      );
      return rows.map((row) => String(row.condition_id));
    },
    async letGo(target, ids) {
      await database.write(async (tx) => {
        for (const id of ids) {
          await tx.run(`DELETE FROM update_unread_updates WHERE target = ? AND condition_id = ?`, target, id);
        }
      });
    },
  };
}
