import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { type CancelParts, cancelJob } from './cancel-job.ts';

/** A job in the middle of a flash, and what the engine was asked about it. */
function startFlash() {
  const job = { id: 'job-1', state: 'active' } as Condition;
  const clock = createFakeClock();
  const asked: { readonly isForced: boolean; readonly at: number }[] = [];
  const began = clock.monotonic();
  const parts: CancelParts = {
    engine: {
      async cancel(_, { isForced }) {
        asked.push({ isForced, at: clock.monotonic() - began });
        return job;
      },
      get: async () => job,
      onHint: () => () => {},
    },
    book: { require: async () => job },
    clock,
  };
  const client = new AbortController();
  const order = { jobId: job.id, client: 'somebody', timeoutMs: 600_000, isForced: true, doesInsist: true };
  return { asked, clock, client, ended: cancelJob(parts, { ...order, signal: client.signal }) };
}

test('a caller who goes away before the time is over forces nothing, and the job stays asked to stop', async () => {
  const { asked, clock, client, ended } = startFlash();
  await clock.untilPending();
  clock.advanceToNext();
  await clock.untilPending();
  client.abort();
  assert.equal((await ended).state, 'active');
  assert.deepEqual(asked, [{ isForced: false, at: 0 }]);
});

test('a caller who waits forces a job when its time is over, and not before', async () => {
  const { asked, clock, ended } = startFlash();
  for (let looks = 0; looks < 600; looks += 1) {
    await clock.untilPending();
    clock.advanceToNext();
  }
  await ended;
  assert.deepEqual(asked, [
    { isForced: false, at: 0 },
    { isForced: true, at: 600_000 },
  ]);
});
