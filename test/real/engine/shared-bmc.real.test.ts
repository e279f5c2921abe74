import { after, before } from 'node:test';
import { openPostgresDatabase } from '../../../src/engine/index.ts';
import { onFakeTime, setUpEngine } from '../../../src/engine/testing/rig.ts';
import { trySharedBmc } from '../../../src/engine/testing/try-shared-bmc.ts';
import { createFakeClock, systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';

let postgres: RealPostgres;
let databases = 0;

before(async () => {
  postgres = await startPostgres({ settings: { fsync: 'off' } });
});

after(() => postgres.stop());

trySharedBmc(async (t) => {
  databases += 1;
  const url = await postgres.createDatabase(`shared_bmc_${databases}`);
  const real = await openPostgresDatabase({ url, clock: systemClock });
  const clock = createFakeClock();
  const rig = await setUpEngine(t, { database: onFakeTime(real, clock), clock });
  t.after(() => real.close());
  return rig;
});
