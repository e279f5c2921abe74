import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { createTurnQueue, type QueueLane, type TurnQueue } from './turn-queue.ts';

const newLane = (): QueueLane => ({ waiters: [] });

interface Line {
  readonly queue: TurnQueue;
  readonly order: string[];
  ask(lane: QueueLane, name: string, signal?: AbortSignal): Promise<void> | undefined;
}

function newLine(maxInFlight = 1): Line {
  const queue = createTurnQueue(maxInFlight);
  const order: string[] = [];
  const ask = (lane: QueueLane, name: string, signal?: AbortSignal): Promise<void> | undefined => {
    const turn = queue.take(lane, { isFirst: false, signal });
    if (turn === undefined) order.push(name);
    return turn?.then(() => void order.push(name));
  };
  return { queue, order, ask };
}

test('lanes take turns, however many one of them asks for', async () => {
  const { queue, order, ask } = newLine();
  const [a, b] = [newLane(), newLane()];
  const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(a, name)).concat([ask(b, 'b1'), ask(b, 'b2')]);
  for (let i = 0; i < 6; i += 1) queue.giveBack();
  await Promise.all(asked);
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

test('a retry goes before what its lane asked for later', async () => {
  const { queue, order, ask } = newLine();
  const lane = newLane();
  ask(lane, '1');
  const later = ask(lane, '2');
  const again = queue.take(lane, { isFirst: true })?.then(() => void order.push('1 again'));
  queue.giveBack();
  queue.giveBack();
  await Promise.all([later, again]);
  assert.deepEqual(order, ['1', '1 again', '2']);
});

test('who gives up leaves the queue', async () => {
  const { queue, ask } = newLine();
  const abort = new AbortController();
  ask(newLane(), 'first');
  const second = ask(newLane(), 'second', abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(Promise.resolve(second), /enough/);
  assert.equal(queue.waiting, 0);
  queue.giveBack();
  assert.equal(queue.inFlight, 0);
});

test('never are more turns taken than there are, and nobody is forgotten', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ lane: fc.nat(3), gives: fc.boolean(), aborts: fc.boolean() }), { maxLength: 40 }),
      async (maxInFlight, steps) => {
        const { queue, order, ask } = newLine(maxInFlight);
        const lanes = Array.from({ length: 4 }, newLane);
        const waits: Promise<unknown>[] = [];
        let given = 0;
        for (const [at, step] of steps.entries()) {
          const abort = new AbortController();
          const turn = ask(lanes[step.lane] ?? newLane(), String(at), abort.signal);
          if (turn !== undefined) waits.push(turn.catch(() => order.push('gave up')));
          if (step.aborts) abort.abort();
          if (step.gives && queue.inFlight > 0) {
            queue.giveBack();
            given += 1;
          }
          assert.ok(queue.inFlight <= maxInFlight);
          assert.ok(queue.waiting === 0 || queue.inFlight === maxInFlight);
        }
        while (queue.inFlight > 0) {
          queue.giveBack();
          given += 1;
        }
        await Promise.all(waits);
        assert.equal(order.length, steps.length);
        assert.equal(order.filter((name) => name !== 'gave up').length, given);
      },
    ),
  );
});
