import { openSqliteDatabase } from '../engine/index.ts';
import { systemClock } from '../kube/index.ts';
import { tryOldAddresses } from './contract/try-old-addresses.ts';

tryOldAddresses(async (t) => {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  t.after(() => database.close());
  return database;
});
