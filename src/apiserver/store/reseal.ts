import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from './errors.ts';
import { type Sealer, type SealingKey, sealedWith } from './sealing.ts';

/** What has to be encrypted anew. */
export interface ResealPlan {
  /** Buckets that hold plain values but should not. */
  readonly plainBuckets: ReadonlySet<string>;
  /** True when values may be sealed with a key that no longer is the first. */
  readonly isRotated: boolean;
}

/** Refuses keys that cannot open what is stored; says whether the first key is a new one. */
export function checkKeys(db: DatabaseSync, file: string, keys: readonly SealingKey[]): { isRotated: boolean } {
  const used = usedKeys(db);
  const missing = used.filter((id) => !keys.some((key) => key.id === id));
  if (missing.length > 0) {
    throw new StoreError(
      'key-missing',
      `${file} holds objects encrypted with key ${missing.join(', ')}, which was not given; restore the key file that belongs to this data directory`,
    );
  }
  const first = keys[0]?.id;
  return { isRotated: first !== undefined && used.some((id) => id !== first) };
}

/** Encrypts with the first key whatever is plain or sealed with another; afterwards the other keys are not needed. */
export function reseal(
  db: DatabaseSync,
  options: { plan: ResealPlan; sealer: Sealer; keys: readonly SealingKey[] },
): void {
  const { plan, sealer, keys } = options;
  const first = keys[0]?.id;
  if (first === undefined) return;
  const isWorkNeeded = plan.isRotated || plan.plainBuckets.size > 0;
  // Deleted content is overwritten with zeros, so that no plain text survives in unused parts of the file.
  db.exec('PRAGMA secure_delete = ON');
  db.exec('BEGIN IMMEDIATE');
  try {
    // The key is on record before any value is sealed with it.
    db.prepare(`INSERT INTO meta VALUES ('keys', ?) ON CONFLICT DO UPDATE SET value = excluded.value`).run(
      JSON.stringify([first]),
    );
    if (isWorkNeeded) resealRows(db, { plan, sealer, first });
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
  if (isWorkNeeded) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

function resealRows(
  db: DatabaseSync,
  { plan, sealer, first }: { plan: ResealPlan; sealer: Sealer; first: string },
): void {
  const update = db.prepare('UPDATE revisions SET value = ? WHERE rv = ?');
  const some = db.prepare(
    'SELECT rv, bucket, namespace, name, value FROM revisions WHERE rv > ? ORDER BY rv LIMIT 500',
  );
  for (let page = some.all(0); page.length > 0; page = some.all(page.at(-1)?.rv ?? 0)) {
    for (const { rv, bucket, namespace, name, value } of page) {
      const key = { bucket: String(bucket), namespace: String(namespace), name: String(name) };
      if (typeof value === 'string' && plan.plainBuckets.has(key.bucket)) update.run(sealer.seal(key, value), rv ?? 0);
      else if (value instanceof Uint8Array && sealedWith(value) !== first)
        update.run(sealer.seal(key, sealer.open(key, value)), rv ?? 0);
    }
  }
}

function usedKeys(db: DatabaseSync): string[] {
  const value = db.prepare(`SELECT value FROM meta WHERE name = 'keys'`).get()?.value;
  return typeof value === 'string' ? (JSON.parse(value) as string[]) : [];
}
