import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { chooseFaulty, deviceTimes, idealMs, misbehaviours, needlessFlashes, timingsOf } from './scenario.ts';

test('without faulty ones the ideal is as many waves as are needed, each as long as a flash', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 50 }), (servers, parallel) => {
      const times = deviceTimes(servers, { flashMs: 20_000, faulty: [] });
      assert.equal(idealMs(times, parallel), Math.ceil(servers / parallel) * 20_000);
    }),
  );
});

test('what the BMCs themselves take longer makes the ideal longer, and nothing else does', () => {
  assert.equal(idealMs([10, 10, 10, 10], 2), 20);
  assert.equal(idealMs([19, 10, 10, 10], 2), 29);
  assert.equal(idealMs([10, 10, 10, 19], 2), 29);
  assert.equal(idealMs([19, 10, 10], 2), 20);
  const passing = misbehaviours.filter(({ name }) => /loses the task|cuts/.test(name));
  assert.equal(passing.length, 2);
  for (const { extraMs } of passing) assert.equal(extraMs(20_000), 0);
});

test('the parts of an update make the flash time together', () => {
  assert.equal(timingsOf(0).flashMs.bmc, 0);
  for (const flashMs of [2000, 20_000]) {
    const { downloadMs, verifyMs, flashMs: writing, managerResetMs } = timingsOf(flashMs);
    assert.equal(downloadMs + verifyMs + writing.bmc + managerResetMs, flashMs);
  }
});

test('faulty ones are as many as asked for, spread over the fleet, and misbehave in every way', () => {
  const faulty = chooseFaulty(1000, 0.03);
  assert.equal(new Set(faulty.map(({ server }) => server)).size, 30);
  assert.ok(faulty.every(({ server }, at) => server >= at * 33 && server < (at + 1) * 34));
  assert.equal(new Set(faulty.map(({ what }) => what.name)).size, misbehaviours.length);
  assert.deepEqual(chooseFaulty(10, 0), []);
});

test('an image may be written once more where the BMC failed, and nowhere else', () => {
  const faulty = chooseFaulty(200, 0.03);
  const flashes = Array.from({ length: 200 }, () => 1);
  for (const { server, what } of faulty) flashes[server] = what.flashes;
  assert.equal(needlessFlashes(flashes, faulty), 0);
  flashes[0] = 2;
  assert.equal(needlessFlashes(flashes, faulty), 1);
  assert.equal(flashes.filter((count) => count > 1).length, 1 + faulty.filter(({ what }) => what.flashes > 1).length);
});
