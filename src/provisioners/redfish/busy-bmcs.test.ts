import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { busyLimitMs, createBusyBmcs } from './busy-bmcs.ts';

const what = 'fleet/h1 deprovisionHost';

test('a BMC that stays too busy for something is waited for only so long, also where one call takes as long', () => {
  const clock = createFakeClock();
  const busy = createBusyBmcs(clock);
  const ask = (takesMs: number, id = what): boolean => {
    const askedAt = clock.monotonic();
    clock.advance(takesMs);
    return busy.note(id, askedAt);
  };
  const begun = clock.monotonic();
  let isTooLong = false;
  while (!isTooLong) {
    isTooLong = ask(2000);
    clock.advance(5000);
  }
  assert.ok(clock.monotonic() - begun < busyLimitMs + 15_000);
  assert.equal(ask(2000, 'fleet/h2 deprovisionHost'), false, 'another host waits by itself');
  assert.equal(ask(2000), true, 'it is too long still');
  busy.forget(what);
  assert.equal(ask(2000), false, 'it was done in between');
  clock.advance(2 * busyLimitMs);
  assert.equal(ask(2000), false, 'it was not asked for in between');
  assert.equal(ask(busyLimitMs, 'fleet/h3 deprovisionHost'), true);
});
