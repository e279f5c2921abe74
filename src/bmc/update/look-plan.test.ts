import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { UpdateProgress } from '../firmware-update.ts';
import { LookPlan, type LookTimes } from './look-plan.ts';

const times: LookTimes = { first: 1000, most: 30_000 };
const running = (percent?: number): UpdateProgress => ({ kind: 'running', percent, message: '' });
const away: UpdateProgress = { kind: 'unreachable', code: 'unreachable', message: '' };

/** Looks until the end as planned: how often, and how late it is noticed. */
function followOne(endMs: number, show: (nowMs: number) => UpdateProgress, used = times) {
  const plan = new LookPlan(used, () => 0.5);
  let now = 0;
  let looks = 0;
  for (; now < endMs; looks += 1) {
    plan.note(show(now), now);
    now += plan.next(now);
  }
  return { looks, lateMs: now - endMs };
}

test('percents that grow evenly are looked at a few times, and their end is seen soon', () => {
  for (const flashMs of [5000, 20_000, 90_000, 600_000]) {
    const { looks, lateMs } = followOne(flashMs, (now) => running(Math.floor((now / flashMs) * 100)));
    assert.ok(looks <= 30, `${looks} looks in ${flashMs} ms`);
    assert.ok(lateMs <= Math.max(1000, flashMs / 100), `${lateMs} ms late after ${flashMs} ms`);
  }
});

test('a BMC that is away is looked for again soon after it is back', () => {
  for (const awayMs of [3000, 20_000, 100_000]) {
    const { looks, lateMs } = followOne(awayMs, () => away);
    assert.ok(lateMs <= Math.max(times.first, awayMs / 4), `${lateMs} ms late after ${awayMs}`);
    assert.ok(looks <= 30, `${looks} looks`);
  }
});

test('one whose like were away for a known time is looked for a few times only, and found at once', () => {
  for (const awayMs of [8000, 20_000, 100_000]) {
    const { looks, lateMs } = followOne(awayMs, () => away, { ...times, awayMs });
    assert.ok(lateMs <= Math.max(times.first, awayMs / 20), `${lateMs} ms late after ${awayMs}`);
    assert.ok(looks <= 6 + awayMs / times.most, `${looks} looks in ${awayMs} ms`);
    // It may take longer than its like, or be back sooner.
    const longer = followOne(awayMs * 3, () => away, { ...times, awayMs });
    assert.ok(longer.lateMs <= Math.max(times.first, (awayMs * 3) / 4), `${longer.lateMs} ms late`);
    assert.ok(longer.looks <= 30, `${longer.looks} looks`);
    const sooner = followOne(awayMs / 2, () => away, { ...times, awayMs });
    assert.ok(sooner.lateMs <= awayMs / 2, `${sooner.lateMs} ms late`);
  }
});

test('it is told for how long a BMC was away once it is back', () => {
  const plan = new LookPlan(times, () => 0.5);
  plan.note(running(10), 0);
  assert.equal(plan.awayMs, undefined);
  plan.note(away, 1000);
  plan.note(away, 3000);
  assert.equal(plan.awayMs, undefined);
  plan.note(running(20), 9000);
  assert.equal(plan.awayMs, 8000);
});

test('an end that comes at any percentage is seen after a quarter of the time at the latest', () => {
  for (const checkMs of [2000, 30_000, 100_000]) {
    const early = (now: number) => running(Math.floor((now / checkMs) * 20));
    const { looks, lateMs } = followOne(checkMs, early, { ...times, isEndSudden: true });
    assert.ok(lateMs <= Math.max(times.first, checkMs / 4), `${lateMs} ms late after ${checkMs}`);
    assert.ok(looks <= 30, `${looks} looks`);
  }
});

test('without percents, and with ones that stand, the time between looks grows up to its bound', () => {
  for (const percent of [undefined, 40]) {
    const plan = new LookPlan(times, () => 0.5);
    let now = 0;
    const waits = Array.from({ length: 10 }, () => {
      plan.note(running(percent), now);
      const wait = plan.next(now);
      now += wait;
      return wait;
    });
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    assert.ok((waits[0] ?? 0) <= times.first && (waits.at(-1) ?? 0) >= times.most / 2);
  }
});

test('without percents a smaller factor sees the end sooner', () => {
  const late = (factor: number) => followOne(40_000, () => running(), { ...times, factor }).lateMs;
  assert.ok(late(1.1) <= 4000);
  assert.ok(late(2) > 4000);
});

test('whatever a BMC shows, the wait is within half the first time and the longest', () => {
  const shown = fc.oneof(
    fc.option(fc.integer({ min: -10, max: 110 }), { nil: undefined }).map(running),
    fc.constant(away),
    fc.constant<UpdateProgress>({ kind: 'running', percent: undefined, message: '', isQueued: true }),
  );
  const look = fc.record({ shown, passedMs: fc.nat(100_000) });
  fc.assert(
    fc.property(fc.array(look, { minLength: 1 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (looks, random) => {
      const plan = new LookPlan(times, () => random);
      let now = 0;
      for (const { shown: progress, passedMs } of looks) {
        now += passedMs;
        assert.ok(plan.note(progress, now) >= 0);
        const wait = plan.next(now);
        assert.ok(wait >= times.first / 2 && wait <= times.most, String(wait));
      }
    }),
  );
});
