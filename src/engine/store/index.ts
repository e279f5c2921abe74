export {
  type Database,
  type Row,
  type SqlValue,
  type Transaction,
  UniqueViolation,
  type WriteOptions,
} from './database.ts';
export { StoreError, type StoreErrorCode, storeErrors } from './errors.ts';
export { createFaultInjector, type DatabaseFaults, type FaultInjector, type FaultPlan } from './faults.ts';
export {
  type MigrateOptions,
  type Migration,
  type MigrationReport,
  migrate,
  readStoreId,
} from './migrations.ts';
export { openPostgresDatabase, type PostgresOptions } from './postgres/open-postgres.ts';
export type { PostgresDatabase, RetryNotice } from './postgres/postgres-database.ts';
export { openSqliteDatabase, type SqliteOptions } from './sqlite/open-sqlite.ts';
export type { SqliteDatabase } from './sqlite/sqlite-database.ts';
