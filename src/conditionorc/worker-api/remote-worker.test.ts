import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorker } from '../../engine/index.ts';
import { serverA, serverB, startOrc } from '../testing/orc-rig.ts';
import { until } from '../testing/until.ts';
import { createRemoteWorkerPort } from './remote-worker-port.ts';

test('a worker that reaches nothing but HTTP does its work, step by step, and leaves', async (t) => {
  const rig = await startOrc(t, { limits: { uploads: 1 } });
  await rig.addMachine(serverA);
  await rig.addMachine(serverB);
  const port = createRemoteWorkerPort({ url: rig.url, token: 'worker' });
  const worker = createWorker({
    port,
    identity: { id: 'flasher/host-1/a', kinds: ['powerOn'], facilities: ['fc1'] },
    handlers: {
      async powerOn(work) {
        await work.report({ progress: { step: 1 }, isCancelUnsafe: true });
        const giveBack = await work.acquireSlot('upload');
        await work.check();
        await giveBack();
        await work.report({ progress: { step: 2 }, isCancelUnsafe: false });
        return { outcome: 'succeeded', status: { msg: `on, by lease ${work.lease.token}` } };
      },
    },
    concurrency: 2,
    clock: rig.clock,
  });
  t.after(async () => {
    await worker.stop();
    await port.close();
  });
  await worker.online;
  for (const server of [serverA, serverB]) {
    assert.equal((await rig.call('POST', `/servers/${server}/condition`, { kind: 'powerOn' })).status, 200);
  }
  const done = async () => (await rig.engine.list({ states: ['succeeded'] })).conditions;
  // Time stands still: no lease may end because this machine is slow.
  await until(rig.clock, async () => (await done()).length === 2, { stepMs: 0 });
  assert.deepEqual(
    (await done()).map(({ status, progress, controller }) => [status, progress, controller]),
    Array.from({ length: 2 }, () => [{ msg: 'on, by lease 1' }, { step: 2 }, 'flasher/host-1/a']),
  );
  await worker.stop();
  const workers = await rig.call('GET', '/workers');
  assert.deepEqual(
    (workers.body.records as { id: string; online: boolean }[]).map(({ id, online }) => [id, online]),
    [['flasher/host-1/a', false]],
  );
});
