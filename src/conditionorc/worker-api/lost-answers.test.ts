import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { WorkerPort } from '../../engine/index.ts';
import { serverA, startOrc } from '../testing/orc-rig.ts';
import { createLeaseDesk } from './lease-desk.ts';
import { createRemoteWorkerPort } from './remote-worker-port.ts';

const never = new AbortController().signal;
const asking = { workerId: 'w1', max: 1, waitMs: 0 };

async function withWork(t: TestContext) {
  const rig = await startOrc(t);
  await rig.addMachine(serverA);
  await rig.engine.worker.online({ id: 'w1', kinds: ['powerOn'], facilities: ['fc1'] });
  await rig.call('POST', `/servers/${serverA}/condition`, { kind: 'powerOn' });
  return rig;
}

describe('answers with leases that do not arrive', () => {
  test('a batch that was not seen is sent again, its leases renewed', async (t) => {
    const { engine, clock } = await withWork(t);
    const desk = createLeaseDesk(engine.worker);
    const lost = await desk.lease({ ...asking, seen: undefined }, never);
    assert.equal(lost.leases.length, 1);
    clock.advance(6000);
    const again = await desk.lease({ ...asking, seen: undefined }, never);
    assert.deepEqual(
      again.leases.map(({ token }) => token),
      lost.leases.map(({ token }) => token),
    );
    assert.equal(again.leases[0]?.until, clock.now() + 10_000);
    const after = await desk.lease({ ...asking, seen: again.batch }, never);
    assert.deepEqual(after.leases, []);
    assert.deepEqual((await desk.lease({ ...asking, seen: after.batch }, never)).leases, []);
  });

  test('one whose lease ended meanwhile is not', async (t) => {
    const { engine, clock } = await withWork(t);
    const desk = createLeaseDesk(engine.worker);
    await desk.lease({ ...asking, seen: undefined }, never);
    clock.advance(10_000);
    assert.deepEqual((await desk.lease({ ...asking, seen: undefined }, never)).leases, []);
  });

  test('whoever wants no leases is answered at once, however long they would wait', async (t) => {
    const { engine } = await withWork(t);
    const desk = createLeaseDesk(engine.worker);
    // The clock of this test stands still: an answer that waited for it would never come.
    const none = await desk.lease({ ...asking, max: 0, waitMs: 25_000, seen: 'b' }, never);
    assert.deepEqual(none, { batch: 'b', leases: [] });
  });

  test('what was leased for somebody who is gone is given back at once and counts for nothing', async (t) => {
    const { engine } = await withWork(t);
    const gone = new AbortController();
    const slow: WorkerPort = {
      ...engine.worker,
      lease: async (...order) => {
        const leases = await engine.worker.lease(...order);
        gone.abort();
        return leases;
      },
    };
    const desk = createLeaseDesk(slow);
    assert.deepEqual((await desk.lease({ ...asking, seen: undefined }, gone.signal)).leases, []);
    const [pending] = (await engine.list({})).conditions;
    assert.deepEqual([pending?.state, pending?.leases], ['pending', 1]);
    assert.equal((await desk.lease({ ...asking, seen: undefined }, never)).leases.length, 1);
  });
});

describe('the way to the worker API', () => {
  test('says whether trying again can help', async (t) => {
    const { url } = await startOrc(t);
    const retryOf = async (port: WorkerPort & { close(): Promise<void> }): Promise<unknown> => {
      t.after(() => port.close());
      return await port.heartbeat('w1').then(
        () => 'no error',
        (error: { retry: unknown }) => error.retry,
      );
    };
    assert.equal(await retryOf(createRemoteWorkerPort({ url: 'http://127.0.0.1:1', token: 'worker' })), 'transient');
    assert.equal(await retryOf(createRemoteWorkerPort({ url, token: 'wrong' })), 'blocked');
    assert.equal(await retryOf(createRemoteWorkerPort({ url, token: 'reader' })), 'blocked');
    assert.equal(
      await retryOf(createRemoteWorkerPort({ url, token: () => Promise.reject(new Error('no file')) })),
      'blocked',
    );
    assert.equal(await retryOf(createRemoteWorkerPort({ url: `${url}/elsewhere`, token: 'worker' })), 'terminal');
    assert.equal(await retryOf(createRemoteWorkerPort({ url, token: 'worker' })), 'transient');
  });

  test('a token is in no message', async (t) => {
    const port = createRemoteWorkerPort({ url: 'http://127.0.0.1:1', token: 'very-secret-token' });
    t.after(() => port.close());
    const error = await port.heartbeat('w1').catch((problem: unknown) => problem);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /very-secret/);
  });
});
