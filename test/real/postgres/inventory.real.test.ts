import { after, before } from 'node:test';
import { openPostgresDatabase } from '../../../src/engine/index.ts';
import { inventoryContract } from '../../../src/serverservice/contract/inventory-contract.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server?.stop());

inventoryContract({
  name: 'a real PostgreSQL',
  open: async () => openPostgresDatabase({ url: await server.createDatabase(`inventory_${++databases}`) }),
});
