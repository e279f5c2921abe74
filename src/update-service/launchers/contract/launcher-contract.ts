import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Launcher, LaunchOrder } from '../launcher.ts';

/** For tests: a launcher, and what stands behind it. */
export interface LauncherTarget {
  readonly launcher: Launcher;
  /** An order for a job that goes on until it is told to stop or is ended. */
  order(): Promise<LaunchOrder>;
  /** How many jobs are really there. */
  count(): Promise<number>;
  /** Ends a job from outside, as a crash would. */
  crash(order: LaunchOrder): Promise<void>;
  /** The same place seen by the next life of this process; undefined where jobs end with the process. */
  again?: (() => Promise<Launcher>) | undefined;
  /** Waits until something is so. */
  until(isSo: () => Promise<boolean>): Promise<void>;
}

/** For tests: what every launcher promises the job runner. */
export function tryLauncher(name: string, open: (t: TestContext) => Promise<LauncherTarget>): void {
  const isGone = async (launcher: Launcher, handle: Parameters<Launcher['look']>[0]) =>
    (await launcher.look(handle)).state === 'gone';

  test(`${name}: a launched job is seen running, and is gone when it ended`, async (t) => {
    const target = await open(t);
    const order = await target.order();
    const { handle } = await target.launcher.launch(order);
    assert.deepEqual(await target.launcher.look(handle), { state: 'running' });
    await target.crash(order);
    await target.until(() => isGone(target.launcher, handle));
  });

  test(`${name}: launching the same job twice gives one job`, async (t) => {
    const target = await open(t);
    const order = await target.order();
    const first = await target.launcher.launch(order);
    const second = await target.launcher.launch(order);
    assert.deepEqual(second.handle, first.handle);
    assert.equal(await target.count(), 1);
  });

  test(`${name}: handles survive JSON and hold no token`, async (t) => {
    const target = await open(t);
    const order = await target.order();
    const { handle } = await target.launcher.launch(order);
    const text = JSON.stringify(handle);
    assert.ok(!text.includes(order.token));
    assert.deepEqual(await target.launcher.look(JSON.parse(text)), { state: 'running' });
  });

  test(`${name}: a job that is interrupted by force is gone`, async (t) => {
    const target = await open(t);
    const order = await target.order();
    const { handle } = await target.launcher.launch(order);
    const interrupted = target.launcher.interrupt(handle, { timeoutMs: 1000, isForced: true });
    if (target.launcher.areJobsInside === true) await target.crash(order);
    assert.equal((await interrupted).state, 'gone');
    assert.equal(await target.count(), 0);
  });

  test(`${name}: a job that it cannot see is not said to be gone, and interrupting it is no error`, async (t) => {
    const { launcher } = await open(t);
    // Jobs inside are all seen: those that are not there ended with an earlier process.
    const state = launcher.areJobsInside === true ? 'gone' : 'unknown';
    const elsewhere = { name: 'job', uid: 'u', namespace: 'another' };
    for (const handle of [{}, { job: 'x' }, { pid: 1 }, { folder: '/elsewhere/jobs/1', pid: 1 }, elsewhere]) {
      assert.equal((await launcher.look(handle)).state, state, JSON.stringify(handle));
      assert.equal((await launcher.interrupt(handle, { timeoutMs: 10, isForced: true })).state, state);
    }
  });

  test(`${name}: jobs outside the process outlive it and are found again`, async (t) => {
    const target = await open(t);
    if (target.again === undefined) return;
    const order = await target.order();
    const { handle } = await target.launcher.launch(order);
    await target.launcher.close();
    const next = await target.again();
    assert.equal(await next.scope(), await target.launcher.scope());
    assert.deepEqual(await next.look(handle), { state: 'running' });
    assert.deepEqual((await next.launch(order)).handle, handle);
    assert.equal(await target.count(), 1);
    await next.interrupt(handle, { timeoutMs: 1000, isForced: true });
    await target.until(() => isGone(next, handle));
  });
}
