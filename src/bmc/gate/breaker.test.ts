import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { createBreaker } from './breaker.ts';
import { defaultGateSettings } from './settings.ts';

const mark = (name: string) => ({ username: 'admin', digest: name });
const refusal = (name: string, nowMs: number, more: { isLocked?: boolean; isOutage?: boolean } = {}) => ({
  mark: mark(name),
  nowMs,
  isLocked: false,
  isOutage: false,
  ...more,
});

test('refused credentials are stopped, others may be tried, and the third has to wait', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0));
  assert.equal(breaker.verdict(mark('a'), 1).kind, 'stopped');
  assert.equal(breaker.verdict(mark('b'), 1).kind, 'go');
  breaker.refused(refusal('b', 1));
  assert.equal(breaker.verdict(mark('c'), 2).kind, 'rest');
  assert.equal(breaker.verdict(mark('c'), 600_001).kind, 'go');
});

test('refused credentials are tried again after a long time', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0));
  assert.equal(breaker.verdict(mark('a'), 3_899_999).kind, 'stopped');
  assert.equal(breaker.verdict(mark('a'), 3_900_000).kind, 'go');
});

test('the wrong credentials of one caller do not make those of another forgotten', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0));
  breaker.refused(refusal('b', 1));
  for (const name of ['a', 'b']) assert.equal(breaker.verdict(mark(name), 700_000).kind, 'stopped');
  assert.equal(breaker.verdict(mark('c'), 700_000).kind, 'go');
});

test('a locked account is left alone with any password', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0, { isLocked: true }));
  const verdict = breaker.verdict(mark('b'), 1);
  assert.deepEqual(verdict, { kind: 'stopped', why: 'lockedOut', untilMs: 900_000 });
});

test('refusals during an outage are spaced and capped, but stop nothing', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0, { isOutage: true }));
  assert.deepEqual(breaker.verdict(mark('a'), 1), { kind: 'rest', untilMs: 30_000 });
  assert.equal(breaker.verdict(mark('a'), 30_000).kind, 'go');
  breaker.refused(refusal('a', 30_000, { isOutage: true }));
  assert.deepEqual(breaker.verdict(mark('a'), 60_000), { kind: 'rest', untilMs: 630_000 });
  assert.equal(breaker.verdict(mark('a'), 630_000).kind, 'go');
});

test('one success ends the rest and what is shown, but what was refused stays refused', () => {
  const breaker = createBreaker(defaultGateSettings);
  breaker.refused(refusal('a', 0));
  breaker.refused(refusal('b', 0));
  assert.equal(breaker.verdict(mark('c'), 1).kind, 'rest');
  breaker.accepted(mark('c'));
  assert.equal(breaker.shown(1), undefined);
  assert.equal(breaker.verdict(mark('d'), 1).kind, 'go');
  assert.equal(breaker.verdict(mark('a'), 1).kind, 'stopped');
  breaker.accepted(mark('a'));
  assert.equal(breaker.verdict(mark('a'), 1).kind, 'go');
});

test('whatever happens, no account with a threshold of three is ever locked', () => {
  const steps = fc.array(
    fc.record({
      afterMs: fc.nat(700_000),
      password: fc.constantFrom('a', 'b', 'c', 'd'),
      isOutage: fc.boolean(),
    }),
    { minLength: 5, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (tries) => {
      const breaker = createBreaker(defaultGateSettings);
      let nowMs = 0;
      let counted = 0;
      let lastMs = Number.NEGATIVE_INFINITY;
      for (const { afterMs, password, isOutage } of tries) {
        nowMs += afterMs;
        if (breaker.verdict(mark(password), nowMs).kind !== 'go') continue;
        // The BMC forgets bad log-ins ten minutes after the last one.
        counted = nowMs - lastMs >= 600_000 ? 1 : counted + 1;
        lastMs = nowMs;
        breaker.refused(refusal(password, nowMs, { isOutage }));
        assert.ok(counted < 3, `locked at ${nowMs}`);
      }
    }),
  );
});
