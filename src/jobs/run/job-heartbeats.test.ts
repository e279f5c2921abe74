import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createFakeUpdateService } from '../testing/fake-update-service.ts';
import { type RunJobOptions, runJob } from './run-job.ts';

/** A job whose update does what it is told, on a clock of its own. */
function started(update: (work: Work) => Promise<void>, more: Partial<RunJobOptions> = {}) {
  const clock = createFakeClock();
  const service = createFakeUpdateService();
  const work = { kind: 'firmwareInstall', target: 'server/1', parameters: { firmwares: [] }, server: 'rack-1' };
  const job = service.add({ id: 'job-1', work, leaseMs: 600_000 });
  const done = { outcome: 'failed', reason: { code: 'Done', message: 'done' } } as const;
  const end = runJob({
    ...{ jobFile: { jobId: 'job-1', token: job.token, updateService: { url: 'http://127.0.0.1:1' } }, clock },
    ...{ transport: service.transport, random: () => 0 },
    loadStrategy: async () => ({
      name: 'redfish',
      scan: async () => done,
      update: async (held) => update(held).then(() => done),
    }),
    ...more,
  });
  const passUntil = async (isSo: () => boolean): Promise<void> => {
    for (let turn = 0; !isSo(); turn++) {
      assert.ok(turn < 2000, 'it never came to be so');
      clock.advance(1000);
      for (let breath = 0; breath < 20; breath++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { service, job, end, clock, passUntil };
}

test('a job sends heartbeats while it works, which are no progress', async () => {
  const over = Promise.withResolvers<void>();
  const { job, end, passUntil } = started(() => over.promise);
  await passUntil(() => job.heartbeats === 3);
  assert.equal(job.reports, 0);
  over.resolve();
  assert.equal((await end).outcome, 'failed');
});

test('a job whose heartbeat is refused stops at once', async () => {
  const { service, job, end, passUntil } = started(async (work) => {
    await work.pause(3_600_000);
    assert.fail('it went on');
  });
  await passUntil(() => job.heartbeats === 1);
  job.isLost = true;
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  await passUntil(() => isOver);
  assert.deepEqual(await end, { outcome: 'lost', message: 'the lease is not held any more' });
  assert.equal(service.jobs.get('job-1')?.ended, undefined);
});

test('a job that the update service does not hear sends no further piece of a long request', async () => {
  const confirmed: number[] = [];
  const { service, job, end, passUntil, clock } = started(async (work) => {
    for (;;) {
      await work.confirm();
      confirmed.push(clock.monotonic());
      await work.pause(1000);
    }
  });
  await passUntil(() => job.heartbeats === 1);
  service.isAway = true;
  const awaySince = clock.monotonic();
  await passUntil(() => clock.monotonic() - awaySince >= 60_000);
  assert.ok((confirmed.at(-1) ?? 0) - awaySince <= 30_000);
  service.isAway = false;
  const count = confirmed.length;
  await passUntil(() => confirmed.length > count);
  job.isLost = true;
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  await passUntil(() => isOver);
});

test('a job says with each check how long its request may reach the device', async () => {
  const asked: unknown[] = [];
  const { service, end } = started(async (work) => {
    await work.check({ requestMs: 7000 });
    await work.check();
  });
  service.onCheck = (requestMs) => void asked.push(requestMs);
  await end;
  assert.deepEqual(asked, [7000, undefined]);
});

test('a job of a package, which may start what outlives it, is not fenced by heartbeats', async () => {
  const { job, end } = started((work) => work.report(), { loadImplementations: async () => [] });
  await end;
  assert.equal(job.isFenced, false);
});
