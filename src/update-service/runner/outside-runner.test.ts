import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createOutsideJobs, runnerParts } from '../testing/outside-jobs.ts';
import { setUpUpdates, until } from '../testing/update-rig.ts';
import { startJobRunner } from './job-runner.ts';

async function started(t: TestContext) {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  t.after(() => runner.stop());
  await until(rig.clock, () => jobs.launched.length === 1);
  const stateOf = async () => (await rig.engine.get(job.id))?.state;
  return { rig, jobs, job, runner, stateOf };
}

test('a job that dies without a word is launched again', async (t) => {
  const { rig, jobs, job, stateOf } = await started(t);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  jobs.kill(0);
  await until(rig.clock, () => jobs.launched.length === 2);
  assert.equal(await stateOf(), 'active');
  assert.notEqual(jobs.launched[0]?.token, jobs.launched[1]?.token);
});

test('a job that lost its lease is ended before the next one begins', async (t) => {
  const { rig, jobs } = await started(t);
  await until(rig.clock, async () => {
    await rig.engine.sweep();
    return jobs.launched.length === 2;
  });
  assert.ok(jobs.interrupted.some(({ isForced }) => isForced));
});

test('a job that is cancelled is told so, and its end is its own to tell', async (t) => {
  const { rig, jobs, job, stateOf } = await started(t);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
  await until(rig.clock, () => jobs.interrupted.length > 0, 100);
  assert.deepEqual(jobs.interrupted[0], { job: job.id, isForced: false });
  assert.equal(await stateOf(), 'active');
  jobs.kill(0);
  await until(rig.clock, async () => (await stateOf()) === 'failed', 100);
  assert.equal((await rig.engine.get(job.id))?.reason?.code, 'Cancelled');
});

test('a job that cannot be launched waits and is tried again', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  let failures = 2;
  const launcher = {
    ...jobs.launcher,
    async launch(order: Parameters<typeof jobs.launcher.launch>[0]) {
      failures -= 1;
      if (failures >= 0) throw new Error('no room');
      return await jobs.launcher.launch(order);
    },
  };
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-1' }));
  t.after(() => runner.stop());
  await until(rig.clock, () => jobs.launched.length === 1);
});

test('no more jobs run at once than the runner has room for', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  for (const server of ['alpha', 'beta']) await rig.desks.requests.scan({ server, client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1', concurrency: 1 }));
  t.after(() => runner.stop());
  await until(rig.clock, () => jobs.launched.length === 1, 10);
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([runner.running, jobs.launched.length], [1, 1]);
});

test('what jobs left behind is swept at the start, but for those that are looked after', async (t) => {
  const { rig, jobs, job, runner } = await started(t);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  await runner.stop();
  const swept: (readonly object[])[] = [];
  const launcher = {
    ...jobs.launcher,
    async sweep(kept: readonly object[]) {
      swept.push(kept);
    },
  };
  const next = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-2' }));
  t.after(() => next.stop());
  await next.online;
  const { launch } = (await rig.engine.get(job.id))?.progress ?? {};
  assert.deepEqual(swept, [[(launch as { handle?: object } | undefined)?.handle]]);
});
