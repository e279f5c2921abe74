import { after, before } from 'node:test';
import { openPostgresDatabase } from '../../../src/engine/index.ts';
import { tryOldAddresses } from '../../../src/serverservice/contract/try-old-addresses.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server?.stop());

tryOldAddresses(async (t) => {
  const database = await openPostgresDatabase({ url: await server.createDatabase(`old_addresses_${++databases}`) });
  t.after(() => database.close());
  return database;
});
