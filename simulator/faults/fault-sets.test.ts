import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { createEventLog } from '../machine/machine-log.ts';
import { createSteppedClock } from '../time/stepped-clock.ts';
import type { FaultRule, FaultSet } from './fault.ts';
import { createFaultSets, type FaultSets } from './fault-sets.ts';

const clock = createSteppedClock();
const of = (sets: FaultSets, name: string): FaultSet => sets.of({ name, clock, log: createEventLog(clock) });
const strikes = (set: FaultSet, times: number): boolean[] =>
  Array.from({ length: times }, () => set.strike('busy') !== undefined);

test('without rules nothing strikes', () => {
  assert.equal(of(createFaultSets([], 1), 'm').strike('busy'), undefined);
});

test('a rule strikes the machines, methods, paths and components it names', () => {
  const rules: FaultRule[] = [
    { kind: 'busy', machines: 'r01-*', method: 'post', path: '*/Actions/*' },
    { kind: 'flash-hangs', component: 'bios' },
  ];
  const sets = createFaultSets(rules, 1);
  const one = of(sets, 'r01-s01');
  const post = { method: 'POST', path: '/redfish/v1/Systems/1/Actions/Reset' };
  assert.equal(one.strike('busy', post), rules[0]);
  assert.equal(one.strike('busy', { ...post, method: 'GET' }), undefined);
  assert.equal(one.strike('busy', { ...post, path: '/redfish/v1' }), undefined);
  assert.equal(one.strike('busy'), undefined);
  assert.equal(of(sets, 'r02-s01').strike('busy', post), undefined);
  assert.equal(one.strike('flash-hangs', { component: 'nic' }), undefined);
  assert.equal(one.strike('flash-hangs', { component: 'bios' }), rules[1]);
});

test('a rule strikes at most so many times a machine, and only in its time', async () => {
  const sets = createFaultSets(
    [
      { kind: 'busy', times: 2 },
      { kind: 'slow-answer', afterMs: 100, untilMs: 200 },
    ],
    1,
  );
  assert.deepEqual(strikes(of(sets, 'a'), 4), [true, true, false, false]);
  assert.deepEqual(strikes(of(sets, 'b'), 3), [true, true, false]);
  const own = createSteppedClock();
  const set = sets.of({ name: 'c', clock: own, log: createEventLog(own) });
  const seen: boolean[] = [];
  for (const ms of [0, 99, 1, 100, 1]) {
    await own.advance(ms);
    seen.push(set.strike('slow-answer') !== undefined);
  }
  assert.deepEqual(seen, [false, false, true, true, false]);
});

test('rules are replaced while machines run, and counts start anew', () => {
  const sets = createFaultSets([{ kind: 'busy', times: 1 }], 1);
  const set = of(sets, 'a');
  assert.deepEqual(strikes(set, 2), [true, false]);
  sets.replace([]);
  assert.deepEqual(strikes(set, 2), [false, false]);
  sets.replace([{ kind: 'busy', times: 1 }]);
  assert.deepEqual(strikes(set, 2), [true, false]);
  assert.equal(set.revision, 2);
});

test('a strike is logged with what it struck', () => {
  const log = createEventLog(clock);
  const set = createFaultSets([{ kind: 'flash-hangs' }], 1).of({ name: 'a', clock, log });
  set.strike('flash-hangs', { component: 'bios' });
  assert.deepEqual(log.events, [{ atMs: 0, event: 'fault', detail: 'kind=flash-hangs component=bios' }]);
});

test('one seed gives one history a machine and kind, whatever happens elsewhere', () => {
  const rules: FaultRule[] = [
    { kind: 'busy', rate: 0.4 },
    { kind: 'slow-answer', rate: 0.4 },
  ];
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.boolean(), { maxLength: 30 }), (seed, noise) => {
      const expected = strikes(of(createFaultSets(rules, seed), 'a'), 30);
      const sets = createFaultSets(rules, seed);
      const set = of(sets, 'a');
      const other = of(sets, 'b');
      const seen = Array.from({ length: 30 }, (_, index) => {
        if (noise[index]) set.strike('slow-answer');
        else other.strike('busy');
        return set.strike('busy') !== undefined;
      });
      assert.deepEqual(seen, expected);
    }),
  );
});

test('shares of opportunities and of machines come out about right', () => {
  const rated = strikes(of(createFaultSets([{ kind: 'busy', rate: 0.25 }], 3), 'a'), 4000).filter(Boolean).length;
  assert.ok(Math.abs(rated - 1000) < 150, String(rated));
  const sets = createFaultSets([{ kind: 'busy', machineRate: 0.25 }], 3);
  const struck = Array.from({ length: 4000 }, (_, index) => strikes(of(sets, `r1-s${index}`), 2));
  assert.ok(struck.every(([first, second]) => first === second));
  const chosen = struck.filter(([first]) => first).length;
  assert.ok(Math.abs(chosen - 1000) < 150, String(chosen));
});
