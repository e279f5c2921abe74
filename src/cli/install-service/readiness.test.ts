import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bus, Database } from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { busCheck, checkOf, createReadiness, storeCheck } from './readiness.ts';

test('what is wrong is told, all of it', async () => {
  const bus = { isConnected: false } as Bus;
  const database = {
    write: () => Promise.reject(new Error('the database x cannot be reached')),
  } as unknown as Database;
  const ask = createReadiness(
    [storeCheck(database), busCheck(bus), checkOf('nothing', async () => 1)],
    createFakeClock(),
  );
  assert.deepEqual(await ask(), ['the database x cannot be reached', 'the bus is not connected']);
});

test('the store has to take a transaction that writes', async () => {
  const asked: string[] = [];
  const tx = { first: async (sql: string) => void asked.push(sql) };
  const database = { write: (work: (given: typeof tx) => unknown) => work(tx) } as unknown as Database;
  assert.equal(await storeCheck(database).look(), undefined);
  assert.deepEqual(asked, ['SELECT 1 AS one']);
});

test('an answer is good for a second, however many ask', async () => {
  const clock = createFakeClock();
  let looks = 0;
  const ask = createReadiness([{ of: 'it', look: () => void looks++ }], clock);
  await Promise.all([ask(), ask(), ask()]);
  assert.equal(looks, 1);
  clock.advance(1000);
  await ask();
  assert.equal(looks, 2);
});

test('what does not answer in time is not ready', async () => {
  const clock = createFakeClock();
  const ask = createReadiness([{ of: 'the store', look: () => new Promise<undefined>(() => undefined) }], clock);
  const answer = ask();
  await clock.untilPending();
  clock.advance(5000);
  assert.deepEqual(await answer, ['the store did not answer in time']);
});
