import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { openSqliteDatabase, type SqliteOptions } from '../sqlite/open-sqlite.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';

/** For tests: a new folder that is removed when the test ends. */
export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** For tests: a database in a new file; both go when the test ends. */
export async function temporarySqlite(t: TestContext, options: Partial<SqliteOptions> = {}): Promise<SqliteDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-store-'));
  const database = await openSqliteDatabase({ path: join(folder, 'engine.db'), clock: systemClock, ...options });
  t.after(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return database;
}
