import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import { createFixtureSwitch, type FixtureSwitchOptions } from '../../switches/index.ts';
import { vlan } from '../testing/port-seen.ts';
import { createLane, type Lane, type PortCall } from './lane.ts';
import { memoryAfter } from './port-book.ts';

function rig(more: Partial<FixtureSwitchOptions> = {}) {
  const clock = createFakeClock();
  const fixture = createFixtureSwitch({ clock, timeoutMs: 3_600_000, ...more });
  const lane = createLane({ device: fixture.device, clock, gatherMs: 10, batchSize: 3, callMs: 1000 });
  return { clock, fixture, lane };
}

const apply = (port: string, id: number): PortCall => ({ kind: 'apply', port, wanted: vlan(id) });

/** Lets time pass until all have been answered. */
async function answers(clock: FakeClock, lane: Lane, calls: readonly PortCall[]): Promise<string[]> {
  const all = Promise.all(calls.map((call) => lane.ask(call)));
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    clock.advanceToNext();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (await all).map(({ kind }) => kind);
}

describe('the way to one switch', () => {
  test('what comes together goes together, in batches, changes before reads', async () => {
    const { clock, fixture, lane } = rig();
    const calls = [
      { kind: 'read', port: 'p9' } as const,
      ...['p1', 'p2', 'p3', 'p4'].map((port, at) => apply(port, at + 10)),
    ];
    assert.deepEqual(await answers(clock, lane, calls), ['done', 'done', 'done', 'done', 'done']);
    assert.equal(fixture.portOf('p4')?.untaggedVlan, 13);
    assert.equal(fixture.calls.filter((call) => call === 'write').length, 2);
    assert.equal(fixture.calls.at(-1), 'read');
  });

  test('a switch that takes one port at a time is told one at a time', async () => {
    const { clock, fixture, lane } = rig({ abilities: { canBatch: false } });
    await answers(
      clock,
      lane,
      ['p1', 'p2', 'p3'].map((port) => apply(port, 10)),
    );
    assert.equal(fixture.calls.filter((call) => call === 'write').length, 3);
  });

  test('two changes of one port are made one after the other', async () => {
    const { clock, fixture, lane } = rig();
    await answers(clock, lane, [apply('p1', 10), apply('p1', 11)]);
    assert.equal(fixture.portOf('p1')?.untaggedVlan, 11);
    assert.equal(fixture.writes, 2);
  });

  test('no answer in time is a failure, and the next call is not held up by it', async () => {
    const { clock, fixture, lane } = rig();
    fixture.faults.add({ fault: 'silent', on: 'read', times: 1 });
    assert.deepEqual(await answers(clock, lane, [{ kind: 'read', port: 'p1' }]), ['unreachable']);
    assert.deepEqual(await answers(clock, lane, [{ kind: 'read', port: 'p1' }]), ['done']);
  });

  test('a change without an answer is uncertain', async () => {
    const { clock, fixture, lane } = rig();
    fixture.faults.add({ fault: 'answer-lost', on: 'write', times: 1 });
    assert.deepEqual(await answers(clock, lane, [apply('p1', 10)]), ['uncertain']);
  });

  test('one port that fails does not keep the others of its batch back', async () => {
    const { clock, fixture, lane } = rig();
    fixture.faults.add({ fault: 'refused', on: 'write', port: 'p2' });
    assert.deepEqual(
      await answers(
        clock,
        lane,
        ['p1', 'p2', 'p3'].map((port) => apply(port, 10)),
      ),
      ['done', 'refused', 'done'],
    );
  });

  test('once closed, what waits ends, and nothing more is taken', async () => {
    const { lane } = rig();
    const waiting = lane.ask(apply('p1', 10));
    lane.close();
    assert.equal((await waiting).kind, 'cancelled');
    assert.equal((await lane.ask(apply('p1', 10))).kind, 'cancelled');
  });
});

describe('what is known of a port after a call', () => {
  const state = { ...vlan(10), port: 'p1', unread: [], strays: [] };
  const [goal, unit] = ['g', 'u'];

  test('failures of one goal are counted, those of another begin anew', () => {
    const call = apply('p1', 10);
    const result = { kind: 'refused', message: 'no' } as const;
    const once = memoryAfter({}, { call, goal, unit, isSettled: true }, { result, now: 1 });
    const twice = memoryAfter(once, { call, goal, unit, isSettled: true }, { result, now: 2 });
    assert.equal(twice.failure?.attempts, 2);
    assert.equal(
      memoryAfter(twice, { call, goal: 'h', unit, isSettled: true }, { result, now: 3 }).failure?.attempts,
      1,
    );
  });

  test('after an uncertain change nothing that was read before counts', () => {
    const before = { reading: { at: 0, state }, applied: vlan(10), unit };
    const after = memoryAfter(
      before,
      { call: apply('p1', 11), goal, unit, isSettled: true },
      { result: { kind: 'uncertain', message: '?' }, now: 1 },
    );
    assert.equal(after.reading, undefined);
    assert.equal(after.applied, undefined);
  });

  test('a change whose end is not known stays so until a call that began after it has ended is answered', () => {
    const lost = { kind: 'uncertain', message: '?' } as const;
    const seen = { kind: 'done', value: state } as const;
    const read = { kind: 'read', port: 'p1' } as const;
    const once = memoryAfter({}, { call: apply('p1', 11), goal, unit, isSettled: true }, { result: lost, now: 1 });
    assert.deepEqual(once.unsettled, { at: 1, wanted: vlan(11) });
    const again = memoryAfter(once, { call: apply('p1', 11), goal, unit, isSettled: false }, { result: lost, now: 2 });
    assert.deepEqual(again.unsettled, { at: 2, wanted: vlan(11) });
    const other = memoryAfter(again, { call: apply('p1', 12), goal, unit, isSettled: false }, { result: lost, now: 3 });
    assert.deepEqual(other.unsettled, { at: 3, wanted: undefined });
    const early = memoryAfter(other, { call: read, goal, unit, isSettled: false }, { result: seen, now: 4 });
    assert.deepEqual(early.unsettled, other.unsettled);
    const late = memoryAfter(
      { ...early, applied: vlan(11), unit },
      { call: read, goal, unit, isSettled: true },
      { result: seen, now: 5 },
    );
    assert.deepEqual([late.unsettled, late.applied], [undefined, undefined]);
  });

  test('a successful read keeps a refused change in mind, a successful change does not', () => {
    const refused = memoryAfter(
      {},
      { call: apply('p1', 11), goal, unit, isSettled: true },
      { result: { kind: 'refused', message: 'no' }, now: 1 },
    );
    const read = memoryAfter(
      refused,
      { call: { kind: 'read', port: 'p1' }, goal, unit, isSettled: true },
      { result: { kind: 'done', value: state }, now: 2 },
    );
    assert.equal(read.failure?.attempts, 1);
    const done = memoryAfter(
      read,
      { call: apply('p1', 11), goal, unit, isSettled: true },
      { result: { kind: 'done', value: state }, now: 3 },
    );
    assert.equal(done.failure, undefined);
    assert.deepEqual(done.applied, vlan(11));
  });
});
