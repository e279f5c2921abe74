import { after, before } from 'node:test';
import { databaseContract } from '../../../src/engine/store/contract/database-contract.ts';
import { openPostgresDatabase } from '../../../src/engine/store/index.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server?.stop());

databaseContract({
  name: 'a real PostgreSQL',
  open: async (options) =>
    openPostgresDatabase({ url: await server.createDatabase(`contract_${++databases}`), ...options }),
});
