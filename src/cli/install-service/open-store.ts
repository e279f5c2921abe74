import { join } from 'node:path';
import { type Database, openPostgresDatabase, openSqliteDatabase, StoreError } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { secretUrl } from './secret-url.ts';

/** The folder of the work engine in a data directory. */
export function engineFolderOf(dataDir: string): string {
  return join(dataDir, 'engine');
}

/** Enough for the log of the database until much of it was moved, several times. */
const reserveBytes = 16 << 20;

/** The store of the engine and the inventory. */
export interface OpenStore {
  readonly database: Database;
  /** True when other processes may use it too. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Opens the database that is named, or else the file in the data directory, for this process alone. */
export async function openStore(
  settings: Settings<'dataDir' | 'databaseUrl' | 'databaseUrlFile'>,
  on: { fault(error: Error): void; room(message: string): void },
): Promise<OpenStore> {
  const databaseUrl = secretUrl(settings, 'databaseUrl');
  try {
    if (databaseUrl !== undefined) return shared(await openPostgresDatabase({ url: databaseUrl }));
    const path = join(engineFolderOf(settings.dataDir), 'engine.db');
    const database = await openSqliteDatabase({
      ...{ path, clock: systemClock, reserveBytes },
      onFault: (error) => on.fault(error),
      onRoom: (message) => on.room(message),
    });
    return { database, isShared: false, close: () => database.close() };
  } catch (error) {
    throw explainStore(error);
  }
}

function shared(database: Database): OpenStore {
  return { database, isShared: true, close: () => database.close() };
}

/** What keeps a store from being used, with the exit code that fits; other errors come back as they are. */
export function explainStore(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const outcomes: Partial<Record<typeof error.code, 'in-use' | 'bad-data' | 'unreachable' | 'usage'>> = {
    inUse: 'in-use',
    newer: 'bad-data',
    unusable: 'bad-data',
    unreachable: 'unreachable',
    refused: 'unreachable',
    badUrl: 'usage',
  };
  const more = error.code === 'inUse' ? '; several processes can share a database server: see --database-url' : '';
  return new CliError(outcomes[error.code] ?? 'failed', `${error.message}${more}`, { cause: error });
}
