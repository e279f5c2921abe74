import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJobRunner } from './runner/job-runner.ts';
import { createOutsideJobs, runnerParts } from './testing/outside-jobs.ts';
import { setUpUpdates, until } from './testing/update-rig.ts';

// What the only earlier implementation of this design got wrong.

test('D1: after a restart the job that runs is known, and no second one starts on its server', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const first = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  first.stop().catch(() => {});
  const { engine, desks } = await rig.again();
  const second = startJobRunner(runnerParts({ ...rig, engine, desks }, jobs, { id: 'life-2' }));
  await second.online;
  assert.equal(second.running, 1, 'it was found again');
  const again = await desks.requests.scan({ server: 'alpha', client: 'c' });
  assert.equal(again.isNew, false);
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.9.0' }];
  const result = { server: 'alpha', firmwares, inventoryJson: '', observedAt: rig.clock.now() };
  await desks.results.server({ proof: jobs.proof(0) }, result);
  await until(rig.clock, () => second.running === 0);
  assert.equal(jobs.launched.length, 1);
  await second.stop();
});

test('D2: a job that takes longer than any timer is not taken for finished while it reports', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  await jobs.take(rig.desks, 0);
  for (let minute = 0; minute < 20; minute++) {
    rig.clock.advance(50_000);
    await jobs.report(rig.desks, 0);
    await rig.engine.sweep();
  }
  assert.equal((await rig.engine.get(job.id))?.state, 'active');
  assert.equal((await rig.desks.requests.scan({ server: 'alpha', client: 'c' })).job.id, job.id);
  assert.equal(jobs.launched.length, 1);
  await runner.stop();
});

test('D3: launching again for the same job and token finds the job that is there', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  await until(rig.clock, () => jobs.launched.length === 1);
  const [order] = jobs.launched;
  assert.ok(order);
  const { handle } = await jobs.launcher.launch(order);
  assert.deepEqual(handle, { job: order.jobId });
  assert.equal(jobs.launched.length, 1);
  await runner.stop();
});

test('D4: an update that is asked for during a scan waits for it and is not dropped', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const [scan] = await rig.lease('w1');
  assert.ok(scan);
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  const { job, isNew } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  assert.ok(isNew);
  assert.equal((await rig.engine.get(job.id))?.reason?.code, 'WaitsForLock');
  const held = { conditionId: scan.condition.id, token: scan.token };
  await rig.engine.worker.report(held, { state: 'succeeded' });
  const [update] = await rig.lease('w2');
  assert.equal(update?.condition.id, job.id);
});

test('D5: a hundred who ask at once for the same get one job', async (t) => {
  const rig = await setUpUpdates(t);
  const { desks } = await rig.again();
  const asked = Array.from({ length: 100 }, (_, n) =>
    (n % 2 === 0 ? rig.desks : desks).requests.scan({ server: 'alpha', client: `c${n}` }),
  );
  const taken = await Promise.all(asked);
  assert.equal(new Set(taken.map(({ job }) => job.id)).size, 1);
  assert.equal(taken.filter(({ isNew }) => isNew).length, 1);
});
