import type { Database } from '../../../engine/index.ts';

/** The key of seals that all processes on this store share; made of `fresh` by whoever comes first. After the migrations. */
export function readSealKey(database: Database, fresh: string): Promise<string> {
  return database.write(async (tx) => {
    await tx.run('INSERT INTO agent_keys (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', 'seal', fresh);
    const row = await tx.first('SELECT value FROM agent_keys WHERE name = ?', 'seal');
    return String(row?.value);
  });
}
