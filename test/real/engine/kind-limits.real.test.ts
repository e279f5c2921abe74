import { test } from 'node:test';
import { createEngine, openPostgresDatabase } from '../../../src/engine/index.ts';
import { patient } from '../../../src/engine/testing/rig.ts';
import { limitedKinds, tryKindLimits } from '../../../src/engine/testing/try-kind-limits.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { startPostgres } from '../postgres/real-postgres.ts';

test('limits of kinds hold between processes on PostgreSQL', async (t) => {
  const postgres = await startPostgres({ settings: { fsync: 'off' } });
  t.after(() => postgres.stop());
  const url = await postgres.createDatabase('kind_limits');
  const open = async () => {
    const database = await openPostgresDatabase({ url, clock: systemClock, poolSize: 8 });
    const engine = await createEngine({ database, clock: systemClock, kinds: limitedKinds.map(patient) });
    t.after(async () => {
      await engine.close();
      await database.close();
    });
    return engine;
  };
  await tryKindLimits(t, [await open(), await open()]);
});
