import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from './database.ts';
import { StoreError } from './errors.ts';

/** One step of a schema. Steps are never changed once released, only added. */
export interface Migration {
  /** Grows from step to step; the first is 1 or more. */
  readonly version: number;
  /** One statement each: first those that every database takes, then those of the database at hand. */
  readonly statements: {
    readonly common?: readonly string[];
    readonly sqlite?: readonly string[];
    readonly postgres?: readonly string[];
  };
}

/** What a migration can be told. */
export interface MigrateOptions {
  /** Whose tables these are; several rooms may keep theirs, with versions of their own, in one database. */
  readonly schema?: string;
  /** Makes the id of a new store. */
  readonly newId?: () => string;
}

/** What a migration did. */
export interface MigrationReport {
  /** The version before; 0 when there was none. */
  readonly from: number;
  readonly to: number;
  /** Where a copy of an older SQLite file was kept. */
  readonly copy: string | undefined;
}

/** Tables of the store itself. BIGINT, since PostgreSQL's INTEGER cannot hold milliseconds; SQLite takes any name. */
const ownTables = [
  `CREATE TABLE IF NOT EXISTS schema_version (
    schema_name TEXT NOT NULL, version BIGINT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (schema_name, version)
  )`,
  'CREATE TABLE IF NOT EXISTS store_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

/**
 * Brings a database to the newest version of a schema. Each step is a transaction of its own, since CockroachDB takes
 * changes of tables in small portions only. Several processes may do this at once: whoever comes second finds it done.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<MigrationReport> {
  const schema = options.schema ?? 'engine';
  checkOrder(migrations);
  await besideOthers(database, () => createOwnTables(database, options.newId ?? randomUUID));
  const from = await versionOf(database, schema);
  const to = migrations.at(-1)?.version ?? 0;
  if (from > to) throw new StoreError('newer', { where: labelOf(database), schema, found: from, known: to });
  const copy = from > 0 && from < to ? await database.keepCopy?.(`${schema}-${from}`) : undefined;
  for (const step of migrations)
    if (step.version > from) await besideOthers(database, () => applyStep(database, schema, step));
  return { from, to, copy };
}

/** The random id of this store, stamped when its tables were made: two engines with the same id share a store. */
export async function readStoreId(database: Database): Promise<string> {
  const row = await database.read((tx) => tx.first(`SELECT value FROM store_meta WHERE name = 'store-id'`));
  if (row === undefined)
    throw new StoreError('notMigrated', { where: labelOf(database), detail: 'it has no store id; migrate it first' });
  return String(row.value);
}

async function createOwnTables(database: Database, newId: () => string): Promise<void> {
  await database.write(async (tx) => {
    for (const statement of ownTables) await tx.run(statement);
  });
  const id = newId();
  await database.write((tx) =>
    tx.run(`INSERT INTO store_meta (name, value) VALUES ('store-id', ?) ON CONFLICT DO NOTHING`, id),
  );
}

async function applyStep(database: Database, schema: string, step: Migration): Promise<void> {
  const statements = [...(step.statements.common ?? []), ...(step.statements[database.dialect] ?? [])];
  await database.write(async (tx) => {
    if ((await newestIn(tx, schema)) >= step.version) return;
    for (const statement of statements) await tx.run(statement);
    await tx.run('INSERT INTO schema_version VALUES (?, ?, ?)', schema, step.version, tx.now);
  });
}

/**
 * Two processes that make the same table at once do not wait for each other as with rows: one of them fails with any of
 * several errors. Such a failure is tried again a few times; what the other one finished is found done then.
 */
async function besideOthers(database: Database, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // One process alone has a SQLite file, so there the statement itself is at fault.
      if (database.dialect === 'sqlite' || attempt === 5) throw error;
      if (error instanceof StoreError && error.code !== 'badStatement') throw error;
    }
  }
}

function versionOf(database: Database, schema: string): Promise<number> {
  return database.read((tx) => newestIn(tx, schema));
}

async function newestIn(tx: Transaction, schema: string): Promise<number> {
  const row = await tx.first('SELECT max(version) AS version FROM schema_version WHERE schema_name = ?', schema);
  return Number(row?.version ?? 0);
}

function labelOf(database: Database): string {
  return database.label ?? database.dialect;
}

function checkOrder(migrations: readonly Migration[]): void {
  let last = 0;
  for (const { version } of migrations) {
    if (!Number.isSafeInteger(version) || version <= last)
      throw new StoreError('badStatement', { detail: `migration ${version} does not come after ${last}` });
    last = version;
  }
}
