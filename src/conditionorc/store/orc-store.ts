import { type Database, migrate } from '../../engine/index.ts';
import { createNoticeBook, type NoticeBook } from './notice-book.ts';
import { orcMigrations, orcSchema } from './schema.ts';

/** What conditionOrc keeps itself, in the engine's database. */
export interface OrcStore {
  readonly database: Database;
  readonly notices: NoticeBook;
}

/** Opens conditionOrc's own tables, which are brought up to date first. The database stays the caller's. */
export async function openOrcStore(database: Database): Promise<OrcStore> {
  await migrate(database, orcMigrations, { schema: orcSchema });
  return { database, notices: createNoticeBook(database) };
}
