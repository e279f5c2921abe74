import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEngineError, openPostgresDatabase } from '../../../src/engine/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { setUpUpdates } from '../../../src/update-service/testing/update-rig.ts';
import { startPostgres } from './real-postgres.ts';

test('requests, results and reports without a job keep their promises on PostgreSQL', async (t) => {
  const postgres = await startPostgres({ settings: { fsync: 'off' } });
  t.after(() => postgres.stop());
  const database = await openPostgresDatabase({
    url: await postgres.createDatabase('updates'),
    clock: systemClock,
    poolSize: 8,
  });
  t.after(() => database.close());
  const rig = await setUpUpdates(t, { scan: { active: 5, pending: 5 } }, { database });
  await rig.addFirmware('2.10.0');
  const { desks } = await rig.again();
  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? rig.desks : desks).requests.scan({ server: 'alpha', client: `c${n}` }),
    ),
  );
  assert.equal(new Set(asked.map(({ job }) => job.id)).size, 1);
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const proof = await rig.launched(lease);
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.9.0' }];
  const result = { server: 'alpha', firmwares, inventoryJson: '', observedAt: systemClock.now() };
  // The same result from two sides at once is one.
  await Promise.all([rig.desks, desks].map(({ results }) => results.server({ proof }, result)));
  assert.equal((await rig.engine.get(lease.condition.id))?.state, 'succeeded');
  const trusted = { user: 'dustin', mayReportUnfenced: true };
  await rig.desks.results.server(trusted, result);
  const wanted = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  await desks.requests.update({ server: 'alpha', firmwares: wanted, client: 'c' });
  assert.equal((await rig.lease('w2')).length, 1);
  await assert.rejects(rig.desks.results.server(trusted, result), (error) => isEngineError(error, 'machineBusy'));
});
