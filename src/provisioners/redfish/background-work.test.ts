import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackgroundWork } from './background-work.ts';

/** Work that goes on until it is given up. */
const untilGivenUp = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up')), { once: true }));

test('what goes on for a host is given up when something else begins, and no other host minds', async () => {
  const background = createBackgroundWork();
  const signals: AbortSignal[] = [];
  const begin = (host: string, name: string) =>
    background.begin(host, name, (signal) => {
      signals.push(signal);
      return untilGivenUp(signal);
    });
  begin('fleet/one', 'power off');
  begin('fleet/two', 'power off');
  begin('fleet/one', 'power on');
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false, false],
  );
  assert.equal(background.look('fleet/one', 'power off').kind, 'none');
  assert.equal(background.look('fleet/one', 'power on').kind, 'going');
  background.forget('fleet/one');
  background.forget('fleet/two');
  assert.ok(signals.every(({ aborted }) => aborted));
  await background.settle();
});
