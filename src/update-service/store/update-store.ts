import { randomBytes } from 'node:crypto';
import { type Database, type Migration, migrate } from '../../engine/index.ts';

/** Whose versions these are in a database that several rooms share. */
export const updateSchema = 'update-service';

/** The tables of the update service: jobs are conditions of the engine, and nothing here says what is to be done. */
export const updateMigrations: readonly Migration[] = [
  {
    version: 1,
    statements: {
      common: [
        // What tokens of jobs are signed with, so that they outlive the process that gave them.
        `CREATE TABLE update_keys (name TEXT PRIMARY KEY, secret TEXT NOT NULL)`,
        // Updates that ended well and whose server has to be read before anybody is told.
        `CREATE TABLE update_held_reports (target TEXT PRIMARY KEY, condition_id TEXT NOT NULL)`,
      ],
    },
  },
  {
    version: 2,
    statements: {
      common: [
        // Several may wait for one reading: none takes the place of another.
        `CREATE TABLE update_unread_updates (
           target TEXT NOT NULL, condition_id TEXT NOT NULL, PRIMARY KEY (target, condition_id))`,
        `INSERT INTO update_unread_updates (target, condition_id) SELECT target, condition_id FROM update_held_reports`,
        `DROP TABLE update_held_reports`,
      ],
    },
  },
  {
    version: 3,
    statements: {
      common: [
        // Which process took a job under its newest lease: a cluster may start the same one twice.
        `CREATE TABLE update_takers (
           condition_id TEXT PRIMARY KEY, token BIGINT NOT NULL, taker TEXT NOT NULL, taken_at BIGINT NOT NULL)`,
      ],
    },
  },
];

/** What the update service keeps itself, in the engine's database. */
export interface UpdateStore {
  readonly database: Database;
  /** Signs tokens of jobs; the same for all processes on the store. */
  readonly tokenKey: Buffer;
}

/** Opens the update service's own tables, which are brought up to date first. The database stays the caller's. */
export async function openUpdateStore(database: Database): Promise<UpdateStore> {
  await migrate(database, updateMigrations, { schema: updateSchema });
  const made = randomBytes(32).toString('base64');
  const secret = await database.write(async (tx) => {
    await tx.run(`INSERT INTO update_keys (name, secret) VALUES ('job-tokens', ?) ON CONFLICT (name) DO NOTHING`, made);
    const row = await tx.first(`SELECT secret FROM update_keys WHERE name = 'job-tokens'`);
    return String(row?.secret ?? made);
  });
  return { database, tokenKey: Buffer.from(secret, 'base64') };
}
