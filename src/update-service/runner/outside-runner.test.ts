import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StoreError } from '../../engine/index.ts';
import { createFixedAuthorizer } from '../../rest/index.ts';
import { createLogger, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { showJob } from '../jobs/show-job.ts';
import { startUpdateService } from '../start-update-service.ts';
import { createOutsideJobs, runnerParts } from '../testing/outside-jobs.ts';
import { setUpUpdates, type UpdateRig, until } from '../testing/update-rig.ts';
import { startJobRunner } from './job-runner.ts';

const taker = { address: '', taker: 'the process' };

async function started(t: TestContext, logger = silentLogger) {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1', logger }));
  t.after(() => runner.stop());
  await until(rig.clock, () => jobs.launched.length === 1);
  const stateOf = async () => (await rig.engine.get(job.id))?.state;
  return { rig, jobs, job, runner, stateOf };
}

/**
 * Lets time pass while a job waits for its next turn, and has it stand still while one is under way: a slow machine
 * would lose leases in it that a quick one keeps.
 */
async function passTurns(rig: UpdateRig, turns: { readonly job: string; readonly isSo: () => boolean }): Promise<void> {
  for (let advances = 0; advances < 2000; ) {
    const state = (await rig.engine.get(turns.job))?.state;
    if (turns.isSo()) return;
    assert.notEqual(state, 'failed');
    if (state === 'pending') {
      rig.clock.advance(20_000);
      advances++;
    }
    for (let breath = 0; breath < 20; breath++) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('it never came to be so');
}

test('a job that dies without a word is launched again, which is logged without a stack trace', async (t) => {
  const lines: string[] = [];
  const { rig, jobs, job, stateOf } = await started(t, createLogger({ write: (line) => lines.push(line) }));
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  jobs.kill(0);
  await until(rig.clock, () => jobs.launched.length === 2);
  assert.equal(await stateOf(), 'active');
  assert.notEqual(jobs.launched[0]?.token, jobs.launched[1]?.token);
  assert.match(lines.join(''), /a job is gone and did not tell how it ended/);
  assert.doesNotMatch(lines.join(''), /"level":"error"|"stack"/);
});

for (const end of ['succeeded', 'failed'] as const) {
  test(`a job that reported that it ${end} goes by itself, and is stopped only where it does not`, async (t) => {
    const { rig, jobs, stateOf, runner } = await started(t);
    await until(
      rig.clock,
      async () => (await rig.desks.jobs.take(jobs.proof(0), taker).catch(() => undefined)) !== undefined,
    );
    const firmwares = [{ name: 'bios', manufacturer: '', version: '2.9.0' }];
    const result = { server: 'alpha', firmwares, inventoryJson: '', observedAt: rig.clock.now() };
    if (end === 'succeeded') await rig.desks.results.server({ proof: jobs.proof(0) }, result);
    else await rig.desks.jobs.fail(jobs.proof(0), { reason: 'ToolFailed', message: 'no', isTransient: false });
    assert.equal(await stateOf(), end);
    const endedAt = rig.clock.monotonic();
    await until(rig.clock, () => rig.clock.monotonic() - endedAt > 30_000);
    assert.deepEqual([jobs.interrupted, runner.running], [[], 1]);
    await until(rig.clock, () => runner.running === 0);
    assert.deepEqual(
      jobs.interrupted.map(({ isForced }) => isForced),
      [true],
    );
  });
}

test('what a job that died left behind is thrown away, also when that fails at first', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const buried: object[] = [];
  const launcher = {
    ...jobs.launcher,
    async bury(handle: object) {
      buried.push(handle);
      if (buried.length === 1) throw new Error('the API server is away');
    },
  };
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-1', concurrency: 1 }));
  t.after(() => runner.stop());
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  jobs.kill(0);
  await until(rig.clock, () => buried.length === 2);
  assert.deepEqual(buried[1], { job: job.id });
});

test('the session of a job that died, and those that it had not ended yet, are told to the next one', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.0');
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.0' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', client: 'c', firmwares });
  const [lost] = await rig.lease('w1');
  const report = (token: number | undefined, sessionUri: string) =>
    rig.engine.worker.report({ conditionId: job.id, token: token ?? 0 }, { sessionUri });
  await report(lost?.token, '/redfish/v1/Sessions/7');
  rig.clock.advance(60_000);
  await rig.engine.sweep();
  const jobs = createOutsideJobs();
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  t.after(() => runner.stop());
  await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === 1 });
  while ((await rig.engine.get(job.id))?.progress.launch === undefined) await new Promise((done) => setImmediate(done));
  await jobs.take(rig.desks, 0);
  await report(jobs.launched[0]?.work.lease.token, '/redfish/v1/Sessions/8');
  jobs.kill(0);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.state === 'pending');
  await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === 2 });
  assert.deepEqual(
    jobs.launched[1]?.work.leftovers.map(({ sessionUri }) => sessionUri),
    ['/redfish/v1/Sessions/7', '/redfish/v1/Sessions/8'],
  );
});

test('a job that lost its lease is ended before the next one begins', async (t) => {
  const { rig, jobs, job } = await started(t);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined, 1);
  await jobs.take(rig.desks, 0);
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

/** The rig with a store that gives no answer to the first report, which it takes or does not take. */
function withLostAnswer(rig: UpdateRig, { isTaken }: { readonly isTaken: boolean }): UpdateRig {
  let losses = 1;
  const report: UpdateRig['engine']['worker']['report'] = async (...about) => {
    losses -= 1;
    if (losses < 0) return await rig.engine.worker.report(...about);
    if (isTaken) await rig.engine.worker.report(...about);
    throw new StoreError('outcomeUnknown', { where: 'test', detail: 'the connection broke' });
  };
  return { ...rig, engine: { ...rig.engine, worker: { ...rig.engine.worker, report } } };
}

test('a job that is gone before it took its work is not to blame, however often that happens', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, jobs, { id: 'life-1' }));
  t.after(() => runner.stop());
  const stateOf = async () => (await rig.engine.get(job.id))?.state;
  for (let round = 0; round < 20; round++) {
    await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === round + 1 });
    jobs.kill(round);
    await until(rig.clock, async () => (await stateOf()) !== 'active');
  }
  const after = await rig.engine.get(job.id);
  assert.deepEqual([after?.state, after?.leases], ['pending', 20]);
  assert.match(after?.reason?.message ?? '', /the job could not begin: it was killed/);
});

test('a job that does not take its work before its lease ends is not to blame either', async (t) => {
  const { rig, jobs, job } = await started(t);
  for (let round = 0; round < 8; round++) {
    await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === round + 1 });
    await until(rig.clock, async () => (await rig.engine.get(job.id))?.state === 'pending', 100);
  }
  const after = await rig.engine.get(job.id);
  assert.match(after?.reason?.message ?? '', /the job could not begin: it did not take its work in time/);
  assert.deepEqual([after?.leases, jobs.interrupted.length], [8, 8]);
});

test('a launch that the store took without an answer is not made again', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(withLostAnswer(rig, { isTaken: true }), jobs, { id: 'life-1' }));
  t.after(() => runner.stop());
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined, 1);
  await jobs.take(rig.desks, 0);
  await jobs.report(rig.desks, 0);
  jobs.kill(0);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.state === 'pending');
  const after = await rig.engine.get(job.id);
  assert.match(after?.reason?.message ?? '', /the job is gone and did not tell how it ended/);
  assert.deepEqual([jobs.launched.length, jobs.interrupted, after?.progress.step], [1, [], 1]);
});

test('a job whose launch the store did not take is ended, and launched again', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs();
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const runner = startJobRunner(runnerParts(withLostAnswer(rig, { isTaken: false }), jobs, { id: 'life-1' }));
  t.after(() => runner.stop());
  await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === 2 });
  assert.deepEqual(jobs.interrupted, [{ job: job.id, isForced: true }]);
});

test('what cannot be launched for long is not to blame: it waits, says for what, and tells whose sessions are open', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.0');
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.0' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', client: 'c', firmwares });
  const [lost] = await rig.lease('w1');
  const held = { conditionId: job.id, token: lost?.token ?? 0 };
  await rig.engine.worker.report(held, { sessionUri: '/redfish/v1/Sessions/7' });
  rig.clock.advance(60_000);
  await rig.engine.sweep();
  const jobs = createOutsideJobs();
  const tries: number[] = [];
  const launcher = {
    ...jobs.launcher,
    async launch(order: Parameters<typeof jobs.launcher.launch>[0]) {
      tries.push(rig.clock.now());
      if (tries.length <= 30) throw new Error('the API server is away');
      return await jobs.launcher.launch(order);
    },
  };
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-1' }));
  t.after(() => runner.stop());
  await passTurns(rig, { job: job.id, isSo: () => tries.length === 20 });
  while ((await rig.engine.get(job.id))?.state !== 'pending') await new Promise((resolve) => setImmediate(resolve));
  const shown = showJob((await rig.engine.get(job.id)) ?? assert.fail(), { strategy: 'redfish' });
  assert.match(shown.message ?? '', /the job was not launched: the API server is away/);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  assert.ok((pauses.at(-1) ?? 0) > 10 * (pauses[0] ?? 0), 'the pauses grow');
  await passTurns(rig, { job: job.id, isSo: () => jobs.launched.length === 1 });
  assert.deepEqual(
    jobs.launched[0]?.work.leftovers.map(({ sessionUri }) => sessionUri),
    ['/redfish/v1/Sessions/7'],
  );
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

test('a life on another host that sees the same jobs goes on with them and counts them', async (t) => {
  const rig = await setUpUpdates(t);
  const jobs = createOutsideJobs('a namespace of a cluster');
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const service = (id: string) =>
    startUpdateService({
      ...{ engine: rig.engine, database: rig.database, service: rig.service, names: rig.names, clock: rig.clock },
      ...{ strategy: { name: 'redfish' }, sources: [], random: () => 0.5, logger: silentLogger, metrics: noMetrics },
      authorizer: createFixedAuthorizer({}),
      runner: { launcher: jobs.launcher, facilities: ['fc1'], concurrency: 1, id },
    });
  const one = await service('life-1');
  const launchOf = async () => (await rig.engine.get(job.id))?.progress.launch as { scope?: string } | undefined;
  await until(rig.clock, async () => (await launchOf()) !== undefined);
  assert.equal((await launchOf())?.scope, 'a namespace of a cluster');
  await one.stop();
  const two = await service('life-2');
  t.after(() => two.stop());
  await two.runner?.online;
  assert.equal(two.runner?.running, 1);
});

test('a job that is not seen is neither given up nor waited for in a hurry', async (t) => {
  const { rig, jobs, job, runner } = await started(t);
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.progress.launch !== undefined);
  await runner.stop();
  const before = await rig.engine.get(job.id);
  let looks = 0;
  const unseen = async () => {
    looks += 1;
    return { state: 'unknown', why: 'it is no job of this folder' } as const;
  };
  const launcher = { ...jobs.launcher, look: unseen, interrupt: unseen };
  const next = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-2' }));
  t.after(() => next.stop());
  await until(rig.clock, () => looks === 3);
  const after = await rig.engine.get(job.id);
  assert.deepEqual([after?.state, after?.fencingToken], ['active', before?.fencingToken]);
});
