import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJobWork } from '../../jobs/index.ts';
import { isUpdateError } from '../errors.ts';
import { serverA, setUpUpdates, type UpdateRig, until } from '../testing/update-rig.ts';
import { openUpdateDesks } from '../update-desks.ts';

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
  await assert.rejects(rig.desks.jobs.take(proof, { address: '', taker: 'one' }), (e) =>
    isUpdateError(e, 'unavailable'),
  );
  await rig.launched(lease);
  const { workJson, progressJson, leaseMs } = await rig.desks.jobs.take(proof, {
    address: 'http://127.0.0.1:1234',
    taker: 'one',
  });
  const work = decodeJobWork(proof.jobId, workJson);
  assert.deepEqual([work.kind, work.target, work.server], ['inventoryOOB', `server/${serverA}`, 'alpha']);
  assert.deepEqual([progressJson, leaseMs], ['{}', 60_000]);
  await assert.rejects(rig.desks.jobs.take(proof, { address: 'file:///x', taker: 'one' }), (e) =>
    isUpdateError(e, 'invalidRequest'),
  );
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
  assert.equal((await rig.desks.jobs.take(proof, { address: '', taker: 'one' })).progressJson, '{"step":3}');
  await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
  assert.deepEqual(await rig.desks.jobs.progress(proof, told), { isCancelAsked: true });
});

test('a job that comes after one which was left in a flash is told so', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  const workOf = async () =>
    decodeJobWork(proof.jobId, (await rig.desks.jobs.take(proof, { address: '', taker: 'one' })).workJson);
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

test('of two processes that a cluster started for one job one takes it, also when both ask at once', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  const pods = ['one', 'two', 'three'].map((taker, at) => ({ taker, address: `https://10.0.0.${at}:7460` }));
  // Each through an update service of its own.
  const services = [rig, await rig.again(), await rig.again()];
  const takes = await Promise.allSettled(pods.map((pod, at) => services[at]?.desks.jobs.take(proof, pod)));
  const winner = takes.findIndex(({ status }) => status === 'fulfilled');
  assert.equal(takes.filter(({ status }) => status === 'fulfilled').length, 1);
  const address = async () => Object((await rig.engine.get(proof.jobId))?.progress.launch).address;
  assert.equal(await address(), pods[winner]?.address);
  for (const pod of pods) {
    const again = rig.desks.jobs.take(proof, pod);
    if (pod === pods[winner]) assert.equal((await again).job.id, proof.jobId, 'its answer may have been lost');
    else await assert.rejects(again, (e) => isUpdateError(e, 'leaseLost'));
  }
  assert.equal(await address(), pods[winner]?.address);
});

test('a job that took its work, or reports, is known to have begun, and what it wrote down stays', async (t) => {
  const rig = await setUpUpdates(t);
  for (const server of ['alpha', 'beta']) await rig.desks.requests.scan({ server, client: 'c' });
  const [one, two] = await Promise.all((await rig.lease('w1')).map((lease) => rig.launched(lease)));
  assert.ok(one && two);
  const progressOf = async ({ jobId }: { jobId: string }) => (await rig.engine.get(jobId))?.progress;
  assert.equal(Object((await progressOf(one))?.launch).isTaken, undefined);
  await rig.desks.jobs.take(one, { address: '', taker: 'one' });
  assert.equal(Object((await progressOf(one))?.launch).isTaken, true);
  const told = { percent: 1, message: 'm', statusJson: '', sessionUri: '', isCancelUnsafe: undefined };
  await rig.desks.jobs.progress(two, { ...told, progressJson: '{"step":3}' });
  await rig.desks.jobs.progress(two, { ...told, progressJson: '' });
  const { launch, ...own } = (await progressOf(two)) ?? {};
  assert.deepEqual([Object(launch).isTaken, own], [true, { step: 3 }]);
});

test('a job that says nothing of its process goes by its address, and the next lease is free to be taken', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  const at = (address: string) => ({ address, taker: '' });
  await rig.desks.jobs.take(proof, at('http://127.0.0.1:1'));
  await rig.desks.jobs.take(proof, at('http://127.0.0.1:1'));
  await assert.rejects(rig.desks.jobs.take(proof, at('http://127.0.0.1:2')), (e) => isUpdateError(e, 'leaseLost'));
  await rig.engine.worker.release({ conditionId: proof.jobId, token: lease.token }, 'again');
  const [next] = await rig.lease('w1');
  const nextProof = await rig.launched(next ?? assert.fail());
  await rig.desks.jobs.take(nextProof, at('http://127.0.0.1:2'));
});

test('no more jobs send images at once than may, whichever update service they ask', async (t) => {
  const rig = await setUpUpdates(t);
  for (const server of ['alpha', 'beta']) await rig.desks.requests.scan({ server, client: 'c' });
  const [one, two] = await Promise.all((await rig.lease('w1')).map((lease) => rig.launched(lease)));
  assert.ok(one && two);
  const other = await rig.again();
  for (const { engine } of [rig, other]) engine.setLimits({ uploads: 1 });
  const never = new AbortController().signal;
  const ask = async (desks: UpdateRig['desks'], proof: typeof one) => {
    let isGranted: boolean | undefined;
    const asked = desks.jobs.acquireSlot(proof, never).then((answer) => {
      isGranted = answer;
    });
    await until(rig.clock, () => isGranted !== undefined);
    await asked;
    return isGranted;
  };
  assert.equal(await ask(rig.desks, one), true);
  assert.equal(await ask(other.desks, two), false);
  await rig.desks.jobs.releaseSlot(one);
  assert.equal(await ask(other.desks, two), true);
  await assert.rejects(rig.desks.jobs.acquireSlot({ ...one, token: 'x' }, never), (e) => isUpdateError(e, 'badProof'));
});

test('what the BMC says of itself reaches the engine, which takes the lease back where work on the same BMC goes on', async (t) => {
  const { rig, lease, proof } = await started(t);
  await rig.launched(lease);
  const bmc = { systems: [{ uuid: '0a1b2c3d-1111-4222-8333-444455556666' }] };
  for (const bmcJson of ['{}', '{"systems":[7]}', 'no JSON']) {
    const report = rig.desks.jobs.progress(proof, { ...told, bmcJson });
    await assert.rejects(report, (e) => isUpdateError(e, 'invalidRequest'), bmcJson);
  }
  const record = { facility: 'fc1', bmcId: 'other', manufacturer: 'Dell', model: 'R750', hold: undefined };
  await rig.engine.machines.put({ ...record, id: 'other' }, []);
  const orders = [{ kind: 'firmwareInstall', parameters: { firmware_set_id: '9f2b3c4d-1111-4222-8333-444455556666' } }];
  await rig.engine.create({ target: 'server/other', client: 'c', orders });
  await rig.engine.worker.online({ id: 'w9', kinds: ['firmwareInstall'], facilities: ['fc1'] });
  const [other] = await rig.engine.worker.lease('w9', { max: 1, waitMs: 0 });
  assert.ok(other);
  await rig.engine.worker.report({ conditionId: other.condition.id, token: other.token }, { bmc });
  const report = rig.desks.jobs.progress(proof, { ...told, bmcJson: JSON.stringify(bmc) });
  await assert.rejects(report, (e) => isUpdateError(e, 'leaseLost') && /server\/other/.test(e.message));
});

for (const { strategy, isFenced } of [
  { strategy: 'redfish', isFenced: true },
  { strategy: 'vendor-cli', isFenced: false },
]) {
  test(`a job by the strategy ${strategy} ${isFenced ? 'is' : 'is not'} fenced by heartbeats`, async (t) => {
    const { rig, lease, proof } = await started(t);
    await rig.launched(lease);
    const { engine, database, service, names, clock } = rig;
    const parts = { engine, database, service, names, clock, sources: [] };
    const desks = await openUpdateDesks({ ...parts, strategy: { name: strategy } });
    const by = { address: '', taker: 'one', isFencedByHeartbeats: true };
    const { lostAfterMs } = await desks.jobs.take(proof, by);
    assert.equal(lostAfterMs, isFenced ? 30_000 : undefined);
    assert.equal((await rig.engine.get(proof.jobId))?.controller?.startsWith('job/'), isFenced);
    assert.equal((await desks.jobs.take(proof, by)).lostAfterMs, lostAfterMs);
  });
}
