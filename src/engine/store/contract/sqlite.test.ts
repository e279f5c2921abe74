import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { databaseContract } from './database-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'engine-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

databaseContract({
  name: 'SQLite in a file',
  open: (options) => openSqliteDatabase({ path: join(folder, `${++files}.db`), clock: systemClock, ...options }),
});

databaseContract({
  name: 'SQLite in memory',
  open: (options) => openSqliteDatabase({ path: ':memory:', clock: systemClock, ...options }),
});
