import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createOutsideJobs, runnerParts } from '../testing/outside-jobs.ts';
import { setUpUpdates, type UpdateRig } from '../testing/update-rig.ts';
import { startJobRunner } from './job-runner.ts';

const breathe = async (): Promise<void> => {
  for (let breath = 0; breath < 20; breath++) await new Promise((resolve) => setImmediate(resolve));
};

/** Lets time pass as in operation, with a sweep each five seconds, until something is so; says how long that took. */
async function secondsUntil(rig: UpdateRig, isSo: () => boolean | Promise<boolean>, each?: () => Promise<unknown>) {
  const began = rig.clock.monotonic();
  for (let turn = 0; turn < 1200; turn++) {
    if (await isSo()) return (rig.clock.monotonic() - began) / 1000;
    rig.clock.advance(1000);
    await breathe();
    if (turn % 5 === 4) {
      await each?.();
      await rig.engine.sweep();
    }
  }
  return assert.fail('it never came to be so');
}

/** An update with the times of operation whose job took its work, in a place that its runner sees, or does not. */
async function started(t: TestContext, { isSeen, isFenced = true }: { isSeen: boolean; isFenced?: boolean }) {
  const rig = await setUpUpdates(t, {}, { kinds: {} });
  const jobs = createOutsideJobs();
  await rig.addFirmware('2.0');
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.0' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', client: 'c', firmwares });
  const look = async () => ({ state: 'unknown', why: 'its node does not answer' }) as const;
  const launcher = isSeen ? jobs.launcher : { ...jobs.launcher, look, interrupt: look };
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-1' }));
  t.after(() => runner.stop());
  await secondsUntil(rig, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  const by = { address: '', taker: 'the process', isFencedByHeartbeats: isFenced };
  const { lostAfterMs } = await rig.desks.jobs.take(jobs.proof(0), by);
  const reasonOf = async () => (await rig.engine.get(job.id))?.reason;
  const isAgain = async () => (await rig.engine.get(job.id))?.fencingToken !== 1;
  return { rig, jobs, job, lostAfterMs, reasonOf, isAgain };
}

test('a job that its runner cannot see is lost with its heartbeats, and done again within a minute', async (t) => {
  const { rig, jobs, job, lostAfterMs, reasonOf, isAgain } = await started(t, { isSeen: false });
  assert.equal(lostAfterMs, 30_000);
  let beats = 0;
  const beat = async () => void (await rig.desks.jobs.heartbeat(jobs.proof(0)).then(() => beats++));
  await secondsUntil(rig, () => beats === 60, beat);
  assert.equal((await rig.engine.get(job.id))?.state, 'active');
  await rig.desks.jobs.check(jobs.proof(0), { requestMs: 20_000 });
  await secondsUntil(rig, async () => (await reasonOf())?.code === 'WorkerLost');
  assert.match((await reasonOf())?.message ?? '', /^worker lost, resumes at .*: job\/.* has been silent since/);
  await assert.rejects(rig.desks.jobs.heartbeat(jobs.proof(0)), { code: 'leaseLost' });
  await assert.rejects(rig.desks.jobs.check(jobs.proof(0), {}), { code: 'leaseLost' });
  assert.ok((await secondsUntil(rig, isAgain)) <= 15);
});

test('a job that died in sight of its runner is done again once what it sent has arrived', async (t) => {
  const { rig, jobs, reasonOf, isAgain } = await started(t, { isSeen: true });
  await rig.desks.jobs.check(jobs.proof(0), { requestMs: 20_000 });
  jobs.kill(0);
  await secondsUntil(rig, async () => (await reasonOf())?.code === 'WorkerLost');
  assert.match((await reasonOf())?.message ?? '', /^worker lost, resumes at .*: the job is gone/);
  assert.ok((await secondsUntil(rig, isAgain)) <= 25);
});

test('a job that sends no heartbeats is waited for as long as a request of it can take', async (t) => {
  const { rig, jobs, lostAfterMs, reasonOf, isAgain } = await started(t, { isSeen: true, isFenced: false });
  assert.equal(lostAfterMs, undefined);
  jobs.kill(0);
  await secondsUntil(rig, async () => (await reasonOf())?.code === 'WorkerLost');
  assert.ok((await secondsUntil(rig, isAgain)) >= 295);
});
