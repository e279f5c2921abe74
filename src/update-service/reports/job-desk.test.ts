import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJobWork } from '../../jobs/index.ts';
import { isUpdateError } from '../errors.ts';
import { serverA, setUpUpdates } from '../testing/update-rig.ts';

const told = {
  percent: 40,
  message: 'half',
  progressJson: '',
  statusJson: '',
  sessionUri: '',
  isCancelUnsafe: undefined,
};

async function started(t: Parameters<typeof setUpUpdates>[0]) {
  const rig = await setUpUpdates(t);
  const { job } = await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const proof = { jobId: job.id, token: rig.desks.tokens.issue({ conditionId: job.id, token: lease.token }) };
  return { rig, job, lease, proof };
}

test('a job may act only once it is written down where it runs', async (t) => {
  const { rig, lease, proof } = await started(t);
  await assert.rejects(rig.desks.jobs.take(proof, ''), (e) => isUpdateError(e, 'unavailable'));
  await rig.launched(lease);
  const { workJson, progressJson, leaseMs } = await rig.desks.jobs.take(proof, 'http://127.0.0.1:1234');
  const work = decodeJobWork(proof.jobId, workJson);
  assert.deepEqual([work.kind, work.target, work.server], ['inventoryOOB', `server/${serverA}`, 'alpha']);
  assert.deepEqual([progressJson, leaseMs], ['{}', 60_000]);
  await assert.rejects(rig.desks.jobs.take(proof, 'file:///x'), (e) => isUpdateError(e, 'invalidRequest'));
});

test('progress renews the lease, keeps where the job runs, and says when somebody cancelled', async (t) => {
  const { rig, job, lease, proof } = await started(t);
  await rig.launched(lease);
  rig.clock.advance(50_000);
  assert.deepEqual(await rig.desks.jobs.progress(proof, { ...told, progressJson: '{"step":3}' }), {
    isCancelAsked: false,
  });
  rig.clock.advance(50_000);
  await rig.engine.sweep();
  const { state, progress, status } = (await rig.engine.get(job.id)) ?? {};
  assert.equal(state, 'active');
  assert.deepEqual([progress?.step, Object(progress?.launch).launcher, status?.percent], [3, 'test', 40]);
  assert.equal((await rig.desks.jobs.take(proof, '')).progressJson, '{"step":3}');
  await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
  assert.deepEqual(await rig.desks.jobs.progress(proof, told), { isCancelAsked: true });
});

test('a job that comes after one which was left in a flash is told so', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  const workOf = async () => decodeJobWork(proof.jobId, (await rig.desks.jobs.take(proof, '')).workJson);
  assert.equal((await workOf()).isCancelUnsafe, false);
  await rig.desks.jobs.progress(proof, { ...told, isCancelUnsafe: true });
  await rig.desks.jobs.progress(proof, { ...told, statusJson: '{"message":"still"}' });
  assert.equal((await workOf()).isCancelUnsafe, true);
});

test('reports of nonsense are refused', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  for (const wrong of [{ progressJson: '[]' }, { progressJson: '{' }, { statusJson: '1' }, { percent: 101 }]) {
    await assert.rejects(rig.desks.jobs.progress(proof, { ...told, ...wrong }), (e) =>
      isUpdateError(e, 'invalidRequest'),
    );
  }
});

test('a failure ends the job, one in passing gives it back', async (t) => {
  const { rig, job, proof } = await started(t);
  await rig.desks.jobs.fail(proof, { reason: 'BmcAway', message: 'no answer', isTransient: true });
  assert.equal((await rig.engine.get(job.id))?.state, 'pending');
  rig.clock.advance(3_600_000);
  const [lease] = await rig.lease('w2');
  assert.ok(lease);
  await assert.rejects(rig.desks.jobs.fail(proof, { reason: 'x', message: 'late', isTransient: false }), (e) =>
    isUpdateError(e, 'leaseLost'),
  );
  const next = await rig.launched(lease);
  await rig.desks.jobs.fail(next, { reason: 'BadImage', message: 'refused', isTransient: false });
  assert.deepEqual((await rig.engine.get(job.id))?.reason?.code, 'BadImage');
});
