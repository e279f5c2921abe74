import { after, before } from 'node:test';
import { orcContract } from '../../../src/conditionorc/contract/orc-contract.ts';
import { startOrc } from '../../../src/conditionorc/testing/orc-rig.ts';
import { workerPortContract } from '../../../src/conditionorc/worker-api/contract/worker-port-contract.ts';
import { createRemoteWorkerPort } from '../../../src/conditionorc/worker-api/remote-worker-port.ts';
import { openPostgresDatabase } from '../../../src/engine/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server?.stop());

const open = async () => openPostgresDatabase({ url: await server.createDatabase(`conditionorc_${++databases}`) });

orcContract({ name: 'a real PostgreSQL', open });

workerPortContract({
  name: 'over HTTP to an engine on a real PostgreSQL',
  isDriven: false,
  open: async (t, limits = {}) => {
    const database = await open();
    const rig = await startOrc(t, { database, limits, clock: systemClock });
    t.after(() => database.close());
    const port = createRemoteWorkerPort({ url: rig.url, token: 'worker' });
    t.after(() => port.close());
    return { ...rig, port };
  },
});
