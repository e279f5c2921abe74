import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../engine.ts';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';
import type { Lease } from '../worker/worker-port.ts';

async function setUp(t: Parameters<typeof setUpEngine>[0], many: number) {
  const rig = await setUpEngine(t, { limits: { uploads: 2 } });
  await rig.online('w1');
  for (let n = 0; n < many; n++) await rig.create(`model/${n}`, 'firmwareInstall');
  return { rig, leases: await rig.lease('w1', many) };
}

const never = new AbortController().signal;

/** Lets waiting ones look again until it is so. */
async function until(rig: Rig, isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 200 && !isSo(); n++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (n % 20 === 19) rig.clock.advance(1000);
  }
  assert.ok(isSo(), 'it never came to that');
}

test('no more than the limit hold a slot at once over two processes, and all get one in the end', async (t) => {
  const { rig, leases } = await setUp(t, 8);
  const second = await rig.another();
  let holding = 0;
  let done = 0;
  const upload = async (engine: Engine, lease: Lease): Promise<void> => {
    const release = await engine.worker.acquireSlot('upload', held(lease), never);
    holding += 1;
    assert.ok(holding <= 2, 'too many hold a slot');
    await new Promise((resolve) => setImmediate(resolve));
    holding -= 1;
    await release();
    done += 1;
  };
  const all = leases.map((lease, n) => upload(n % 2 === 0 ? rig.engine : second, lease));
  await until(rig, () => done === 8);
  await Promise.all(all);
});

test('a slot of a holder whose lease ended is free again; who waits in line keeps its lease meanwhile', async (t) => {
  const { rig, leases } = await setUp(t, 3);
  const [a, b, c] = leases as [Lease, Lease, Lease];
  await rig.engine.worker.acquireSlot('upload', held(a), never);
  await rig.engine.worker.acquireSlot('upload', held(b), never);
  let isIn = false;
  const waiting = rig.engine.worker.acquireSlot('upload', held(c), never).then(() => {
    isIn = true;
  });
  for (let n = 0; n < 8; n++) {
    await rig.clock.untilPending();
    rig.clock.advance(1000);
    if (n % 4 === 0) for (const one of [a, b]) await rig.engine.worker.report(held(one), {});
  }
  assert.equal(isIn, false);
  await rig.engine.worker.report(held(a), { state: 'succeeded' });
  await until(rig, () => isIn);
  await waiting;
  await rig.engine.worker.check(held(c));
});

test('waiting for a slot ends with the signal and with the lease', async (t) => {
  const { rig, leases } = await setUp(t, 4);
  const [a, b, c, d] = leases as [Lease, Lease, Lease, Lease];
  for (const one of [a, b]) await rig.engine.worker.acquireSlot('upload', held(one), never);
  const giving = new AbortController();
  const first = rig.engine.worker.acquireSlot('upload', held(c), giving.signal);
  giving.abort();
  await assert.rejects(first, { code: 'aborted' });
  let error: unknown;
  const second = rig.engine.worker.acquireSlot('upload', held(d), never).catch((thrown: unknown) => {
    error = thrown;
  });
  await rig.engine.cancel(d.condition.id, { client: 'x', isForced: true, doesInsist: false });
  await until(rig, () => error !== undefined);
  await second;
  assert.equal((error as { code: string }).code, 'leaseLost');
});

test('without a limit everybody gets one who holds a lease', async (t) => {
  const { rig, leases } = await setUp(t, 4);
  rig.engine.setLimits({ uploads: 0 });
  for (const lease of leases) await (await rig.engine.worker.acquireSlot('upload', held(lease), never))();
});
