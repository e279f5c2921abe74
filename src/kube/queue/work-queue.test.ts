import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { createMetrics } from '../../telemetry/index.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createWorkQueue, type WorkOutcome, type WorkQueueOptions } from './work-queue.ts';

/** A queue whose work ends when the test says so. */
function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = createFakeClock();
  const started: string[] = [];
  const running = new Map<string, (outcome: WorkOutcome | Error) => void>();
  const queue = createWorkQueue({
    name: 'test',
    clock,
    random: () => 1,
    backoff: { baseMs: 100, maxMs: 1000 },
    work: (key) => {
      assert.ok(!running.has(key), `${key} is worked on twice at once`);
      started.push(key);
      return new Promise((resolve, reject) => {
        running.set(key, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      });
    },
    ...options,
  });
  const finish = async (key: string, outcome: WorkOutcome | Error = { kind: 'done' }): Promise<void> => {
    const end = running.get(key);
    assert.ok(end !== undefined, `${key} is not worked on`);
    running.delete(key);
    end(outcome);
    await settled();
  };
  return { clock, queue, started, running, finish };
}

/** Lets promises that are ready run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a work queue', () => {
  test('works on a key once, however often it was added', () => {
    const { queue, started } = setUp();
    queue.add('a');
    queue.add('a');
    assert.equal(queue.depth, 1);
    queue.start();
    assert.deepEqual(started, ['a']);
  });

  test('works again on a key that was added while it was worked on, and only then', async () => {
    const { queue, started, finish } = setUp();
    queue.start();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    assert.deepEqual(started, ['a']);
    await finish('a');
    assert.deepEqual(started, ['a', 'a']);
    await finish('a');
    assert.deepEqual(started, ['a', 'a']);
  });

  test('works on no more keys at once than allowed, in the order they came', async () => {
    const { queue, started, finish } = setUp({ concurrency: 2 });
    queue.start();
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    assert.deepEqual(started, ['a', 'b']);
    await finish('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
    assert.deepEqual([queue.running, queue.depth], [2, 1]);
  });

  test('waits longer after every failure up to a limit, and forgets failures after a success', async () => {
    const { queue, clock, finish } = setUp();
    queue.start();
    queue.add('a');
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      await finish('a', i % 2 === 0 ? { kind: 'retry' } : new Error('thrown'));
      waits.push(clock.nextInMs() ?? 0);
      clock.advanceToNext();
    }
    assert.deepEqual(waits, [100, 200, 400, 800, 1000, 1000]);
    assert.equal(queue.failures('a'), 6);
    await finish('a');
    assert.equal(queue.failures('a'), 0);
    assert.equal(clock.pending, 0);
  });

  test('takes away between none and half of a delay at random', async () => {
    const { queue, clock, finish } = setUp({ random: () => 0 });
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'retry' });
    assert.equal(clock.nextInMs(), 50);
    clock.advanceToNext();
    await finish('a', { kind: 'retry', leastMs: 5000 });
    assert.equal(clock.nextInMs(), 5000);
  });

  test('of several delays the earliest counts, and work that begins before takes it away', async () => {
    const { queue, clock, started, finish } = setUp();
    queue.start();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    clock.advance(199);
    assert.deepEqual(started, []);
    clock.advance(1);
    assert.deepEqual(started, ['a']);
    await finish('a', { kind: 'again', afterMs: 300 });
    queue.add('a');
    assert.deepEqual(started, ['a', 'a']);
    await finish('a');
    clock.advance(10_000);
    assert.deepEqual(started, ['a', 'a']);
  });

  test('forgets failures and delays of a key on request', async () => {
    const { queue, clock, finish } = setUp();
    queue.start();
    queue.add('a');
    await finish('a', { kind: 'retry' });
    queue.forget('a');
    assert.equal(queue.failures('a'), 0);
    assert.equal(clock.pending, 0);
  });

  test('drains: what runs ends, what waits is dropped, what comes is ignored', async () => {
    const { queue, clock, started, finish } = setUp({ concurrency: 1 });
    queue.start();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    let isDrained = false;
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    queue.add('d');
    await settled();
    assert.equal(isDrained, false);
    await finish('a', { kind: 'retry' });
    await drained;
    clock.advance(10_000);
    assert.deepEqual(started, ['a']);
    assert.equal(clock.pending, 0);
  });

  test('tells work that runs past the deadline of a drain to abort', async () => {
    let signal: AbortSignal | undefined;
    const { queue, clock } = setUp({
      work: (_key, given) =>
        new Promise((resolve) => {
          signal = given;
          given.addEventListener('abort', () => resolve({ kind: 'done' }));
        }),
    });
    queue.start();
    queue.add('a');
    const drained = queue.drain({ deadlineMs: 1000 });
    assert.equal(signal?.aborted, false);
    clock.advance(1000);
    await drained;
    assert.equal(signal?.aborted, true);
  });

  test('reports depth, waiting and work', async () => {
    const metrics = createMetrics();
    const { queue, clock, finish } = setUp({ metrics, concurrency: 1 });
    queue.start();
    queue.add('a');
    queue.add('b');
    clock.advance(2000);
    assert.match(await metrics.expose(), /workqueue_depth\{name="test"\} 1/);
    await finish('a');
    const text = await metrics.expose();
    assert.match(text, /workqueue_queue_duration_seconds_sum\{name="test"\} 2/);
    assert.match(text, /workqueue_work_duration_seconds_count\{name="test"\} 1/);
    assert.match(text, /controller_runtime_reconcile_total\{controller="test",result="success"\} 1/);
    assert.match(text, /controller_runtime_reconcile_errors_total\{controller="test"\} 0/);
    assert.match(text, /controller_runtime_max_concurrent_reconciles\{controller="test"\} 1/);
  });
});

test('in any order of events no key runs twice at once, the limit holds, and no request for work is lost', async () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key: keys }),
    fc.record({ do: fc.constant('addAfter' as const), key: keys, ms: fc.nat(500) }),
    fc.record({
      do: fc.constant('finish' as const),
      pick: fc.nat(9),
      outcome: fc.constantFrom('done', 'retry', 'again', 'throw'),
    }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.nat(300) }),
    fc.record({ do: fc.constant('forget' as const), key: keys }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, concurrency) => {
      const { queue, clock, started, running, finish } = setUp({ concurrency });
      queue.start();
      /** How often each key had been started when its newest request came. */
      const asked = new Map<string, number>();
      const startsOf = (key: string) => started.filter((one) => one === key).length;
      const finishOne = async (pick: number, kind: string): Promise<void> => {
        const key = [...running.keys()][pick % running.size];
        if (key === undefined) return;
        const outcomes: Record<string, WorkOutcome | Error> = {
          done: { kind: 'done' },
          retry: { kind: 'retry' },
          again: { kind: 'again', afterMs: 50 },
          throw: new Error('thrown'),
        };
        await finish(key, outcomes[kind]);
      };
      for (const one of steps) {
        if (one.do === 'add') {
          asked.set(one.key, startsOf(one.key));
          queue.add(one.key);
        } else if (one.do === 'addAfter') queue.addAfter(one.key, one.ms);
        else if (one.do === 'finish') await finishOne(one.pick, one.outcome);
        else if (one.do === 'advance') clock.advance(one.ms);
        else queue.forget(one.key);
        assert.ok(queue.running <= concurrency);
        assert.equal(queue.running, running.size);
      }
      while (running.size > 0) await finishOne(0, 'done');
      for (const [key, before] of asked) assert.ok(startsOf(key) > before, `the request for ${key} was lost`);
      assert.equal(queue.depth, 0);
      await queue.drain();
    }),
    { numRuns: 300 },
  );
});
