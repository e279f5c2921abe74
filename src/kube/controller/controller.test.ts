import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMetrics } from '../../telemetry/index.ts';
import { kubeError } from '../errors.ts';
import type { EventDraft, EventRecorder } from '../event-recorder.ts';
import { createFakeClock } from '../fake-clock.ts';
import { type ControllerDefinition, defineController } from './controller.ts';
import type { Decision } from './decision.ts';
import { failed, ok, type Result } from './result.ts';
import { runControllers } from './run-controllers.ts';

type Seen = { name: string; status?: Status };
type Status = { phase: string; note?: string | undefined };
type Act = { kind: 'power'; key: string; on: boolean } | { kind: 'tell'; key: string; text: string };

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const quiet: Decision<Act, Status> = { effects: [], status: undefined, wake: { on: 'change' }, why: [] };

function setUp(
  decide: (seen: Seen, now: number) => Decision<Act, Status>,
  more: Partial<ControllerDefinition<Seen, Act, Status>> = {},
) {
  const clock = createFakeClock();
  const metrics = createMetrics();
  const world = new Map<string, Seen>([['a', { name: 'a' }]]);
  const done: string[] = [];
  const written: Status[] = [];
  const told: EventDraft[] = [];
  const recorder: EventRecorder = {
    record: (_subject, draft) => void told.push(draft),
    flush: async () => {},
    whenFewerWait: async () => {},
  };
  let wake: (key: string) => void = () => {};
  const controller = defineController<Seen, Act, Status>(
    {
      name: 'test',
      watches: [
        {
          subscribe(callback) {
            wake = callback;
            return () => {
              wake = () => {};
            };
          },
        },
      ],
      read: (key) => world.get(key),
      decide,
      effects: {
        power: async (effect) => {
          done.push(`power ${effect.on}`);
          return ok();
        },
        tell: async (effect) => {
          done.push(`tell ${effect.text}`);
          return ok();
        },
      },
      statusOf: (seen) => seen.status,
      writeStatus: async (seen, status) => {
        written.push(status);
        world.set(seen.name, { ...seen, status });
      },
      subjectOf: (seen) => ({ kind: 'Thing', metadata: { name: seen.name } }),
      ...more,
    },
    { clock, random: () => 0.5, recorder, metrics, backoff: { baseMs: 100, maxMs: 1000 } },
  );
  controller.start();
  const change = async (key = 'a'): Promise<void> => {
    wake(key);
    await settled();
  };
  return { clock, metrics, controller, world, done, written, told, change };
}

describe('the shell of a controller', () => {
  test('does effects in order, then writes the status, then tells people', async () => {
    const { change, done, written, told } = setUp(() => ({
      effects: [
        { kind: 'power', key: 'a/on', on: true },
        { kind: 'tell', key: 'a/hello', text: 'hello' },
      ],
      status: { phase: 'On' },
      wake: { on: 'change' },
      why: [],
      events: [{ type: 'Normal', reason: 'PoweredOn', message: 'it is on' }],
    }));
    await change();
    assert.deepEqual(done, ['power true', 'tell hello']);
    assert.deepEqual(written, [{ phase: 'On' }]);
    assert.equal(told[0]?.reason, 'PoweredOn');
  });

  test('writes the status only when it changed, a field that is undefined being no field', async () => {
    const { change, written, world } = setUp(() => ({ ...quiet, status: { phase: 'On', note: undefined } }));
    world.set('a', { name: 'a', status: { phase: 'On' } });
    await change();
    assert.deepEqual(written, []);
    world.set('a', { name: 'a', status: { phase: 'Off' } });
    await change();
    assert.equal(written.length, 1);
  });

  test('gives decide the time, and looks again when it asks to', async () => {
    const times: number[] = [];
    const { change, clock } = setUp((_seen, now) => {
      times.push(now);
      return { ...quiet, wake: times.length < 3 ? { after: 5000 } : { never: 'finished' } };
    });
    const start = clock.now();
    await change();
    for (let i = 0; i < 5; i++) {
      clock.advance(5000);
      await settled();
    }
    assert.deepEqual(times, [start, start + 5000, start + 10_000]);
  });

  test('remembers the last decision for `why`, and forgets it with the object', async () => {
    const decision = { ...quiet, why: [{ code: 'Waiting', message: 'for the switch' }] };
    const { change, controller, world } = setUp(() => decision);
    await change();
    assert.deepEqual(controller.last('a')?.decision.why, decision.why);
    assert.equal(controller.last('a')?.failure, undefined);
    world.delete('a');
    await change();
    assert.equal(controller.last('a'), undefined);
  });

  test('plans without acting', async () => {
    const { controller, done, written } = setUp(() => ({
      ...quiet,
      effects: [{ kind: 'power', key: 'k', on: true }],
      status: { phase: 'On' },
    }));
    assert.equal((await controller.plan('a'))?.effects.length, 1);
    assert.equal(await controller.plan('absent'), undefined);
    assert.deepEqual([done, written], [[], []]);
  });

  test('after a failed effect nothing later is done, and the status tells the failure', async () => {
    const { change, done, written, controller } = setUp(
      () => ({
        ...quiet,
        effects: [
          { kind: 'power', key: 'k', on: true },
          { kind: 'tell', key: 'k', text: 'x' },
        ],
        status: { phase: 'On' },
        events: [{ type: 'Normal', reason: 'R', message: 'm' }],
      }),
      {
        effects: {
          power: async () => failed({ code: 'NoPower', message: 'the BMC is away', retry: 'transient' }),
          tell: async () => ok(),
        },
        describeFailure: (_seen, failure) => ({ phase: 'Failing', note: failure.message }),
      },
    );
    await change();
    assert.deepEqual(done, []);
    assert.deepEqual(written, [{ phase: 'Failing', note: 'the BMC is away' }]);
    assert.equal(controller.last('a')?.failure?.code, 'NoPower');
  });

  test('independent effects are all done, and of several failures the one to be tried soonest counts', async () => {
    const done: string[] = [];
    const { change, written, clock } = setUp(
      () => ({
        ...quiet,
        effects: [
          { kind: 'power', key: 'k1', on: true },
          { kind: 'tell', key: 'k2', text: 'fails' },
          { kind: 'tell', key: 'k3', text: 'works' },
        ],
        status: { phase: 'On' },
      }),
      {
        areEffectsIndependent: true,
        effects: {
          power: async () => failed({ code: 'Refused', message: 'never', retry: 'terminal' }),
          tell: async ({ text }) => {
            done.push(text);
            return text === 'works' ? ok() : failed({ code: 'Away', message: 'not now', retry: 'transient' });
          },
        },
        describeFailure: (_seen, failure) => ({ phase: failure.code, note: failure.message }),
      },
    );
    await change();
    assert.deepEqual(done, ['fails', 'works']);
    assert.deepEqual(written, [{ phase: 'Away', note: 'not now; never' }]);
    assert.equal(clock.nextInMs(), 75);
  });

  const outcomes: [string, () => Promise<Result>, number | undefined][] = [
    ['transient: soon', async () => failed({ code: 'C', message: 'm', retry: 'transient' }), 75],
    [
      'transient: not before the server allows',
      async () => failed({ code: 'C', message: 'm', retry: 'transient', retryAfterMs: 7000 }),
      7000,
    ],
    ['blocked: now and then', async () => failed({ code: 'C', message: 'm', retry: 'blocked' }), 60_000],
    ['terminal: not before a change', async () => failed({ code: 'C', message: 'm', retry: 'terminal' }), undefined],
    ['a thrown API conflict: soon', async () => Promise.reject(kubeError('Conflict', 'stale')), 75],
    [
      'a thrown refusal by validation: not before a change',
      async () => Promise.reject(kubeError('Invalid', 'no')),
      undefined,
    ],
    ['anything else thrown is a bug: later, and counted', async () => Promise.reject(new Error('oops')), 75],
  ];
  for (const [name, power, wait] of outcomes) {
    test(`looks again after a failure that is ${name}`, async () => {
      const effects = { power, tell: async () => ok() };
      const { change, clock, metrics } = setUp(() => ({ ...quiet, effects: [{ kind: 'power', key: 'k', on: true }] }), {
        effects,
      });
      await change();
      assert.equal(clock.nextInMs(), wait);
      const isBug = name.includes('bug');
      assert.equal(/decisions_total\{controller="test",outcome="bug"\} 1/.test(await metrics.expose()), isBug);
    });
  }

  test('a decide that throws is a bug that does not stop the controller', async () => {
    let isBroken = true;
    const { change, written } = setUp(() => {
      if (isBroken) throw new TypeError('cannot read properties of undefined');
      return { ...quiet, status: { phase: 'On' } };
    });
    await change();
    isBroken = false;
    await change();
    assert.deepEqual(written, [{ phase: 'On' }]);
  });

  test('a status that could not be written is tried again from a new look', async () => {
    let looks = 0;
    const { change, clock } = setUp(
      () => {
        looks++;
        return { ...quiet, status: { phase: 'On' } };
      },
      {
        writeStatus: async () => {
          throw kubeError('Conflict', 'stale');
        },
      },
    );
    await change();
    clock.advance(75);
    await settled();
    assert.equal(looks, 2);
  });

  test('stops taking changes and waits for what runs', async () => {
    let finish: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { change, controller, done } = setUp(() => ({ ...quiet, effects: [{ kind: 'power', key: 'k', on: true }] }), {
      effects: {
        power: async () => {
          await slow;
          done.push('powered');
          return ok();
        },
        tell: async () => ok(),
      },
    });
    await change();
    const stopped = controller.stop();
    await change();
    finish();
    await stopped;
    assert.deepEqual(done, ['powered']);
  });
});

describe('a controller set', () => {
  function parts() {
    const log: string[] = [];
    const synced = Promise.withResolvers<void>();
    const informer = {
      start: () => void log.push('informer starts'),
      stop: async () => void log.push('informer stops'),
      whenSynced: (signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          synced.promise.then(resolve);
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const controller = {
      start: () => void log.push('controller starts'),
      stop: async () => void log.push('controller stops'),
    };
    return { log, synced, informer, controller };
  }

  test('starts controllers once the caches are full, and stops them before the caches', async () => {
    const { log, synced, informer, controller } = parts();
    const stop = new AbortController();
    const set = { informers: [informer], controllers: () => [controller], election: undefined };
    const running = runControllers(set, stop.signal);
    await settled();
    assert.deepEqual(log, ['informer starts']);
    synced.resolve();
    await settled();
    stop.abort();
    await running;
    assert.deepEqual(log, ['informer starts', 'controller starts', 'controller stops', 'informer stops']);
  });

  test('ends cleanly when it is stopped before the caches are full', async () => {
    const { log, informer, controller } = parts();
    const stop = new AbortController();
    const running = runControllers(
      { informers: [informer], controllers: () => [controller], election: undefined },
      stop.signal,
    );
    await settled();
    stop.abort();
    await running;
    assert.deepEqual(log, ['informer starts', 'informer stops']);
  });

  test('runs controllers only while leading', async () => {
    const { log, synced, informer, controller } = parts();
    synced.resolve();
    const first = new AbortController();
    const election = {
      isLeader: () => true,
      async run(_signal: AbortSignal, work: (leading: AbortSignal) => Promise<void>) {
        for (const leading of [first, new AbortController()]) {
          const working = work(leading.signal);
          await settled();
          leading.abort();
          await working;
        }
      },
    };
    await runControllers(
      { informers: [informer], controllers: () => [controller], election },
      new AbortController().signal,
    );
    assert.equal(log.filter((line) => line === 'controller starts').length, 2);
    assert.equal(log.filter((line) => line === 'controller stops').length, 2);
  });
});
