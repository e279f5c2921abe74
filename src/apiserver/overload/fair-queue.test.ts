import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import { FairQueue, type NoSeat, type Place, type Seat } from './fair-queue.ts';
import { type LaneLimits, usualLimits } from './limits.ts';
import { TurnBudget } from './turn-budget.ts';

/** A clock that stands still unless a test moves it. */
function queueOf(limits: Partial<LaneLimits>, turnMs = 10): { queue: FairQueue; pass(ms: number): void } {
  let now = 0;
  const pass = (ms: number): void => {
    now += ms;
  };
  const queue = new FairQueue({ ...usualLimits.reads, ...limits }, new TurnBudget(turnMs, () => now));
  return { queue, pass };
}

function seatOf(entered: Seat | Place | NoSeat): Seat {
  assert.ok(typeof entered === 'object' && 'release' in entered, 'there was no seat');
  return entered;
}

function placeOf(entered: Seat | Place | NoSeat): Place {
  assert.ok(typeof entered === 'object' && 'seat' in entered, 'it did not have to wait');
  return entered;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('while seats are free nobody waits', () => {
  const { queue } = queueOf({ seats: 3, seatsPerClient: 3 });
  const seats = ['a', 'b', 'a'].map((name) => seatOf(queue.enter(name)));
  assert.equal(queue.inFlight, 3);
  for (const seat of seats) seat.release();
  seats[0]?.release(); // once more changes nothing
  assert.deepEqual([queue.inFlight, queue.queued], [0, 0]);
});

test('a client with a thousand requests does not keep another from its turn', async () => {
  const { queue } = queueOf({ seats: 1, seatsPerClient: 1, waitingPerClient: 1000 });
  const served: string[] = [];
  const first = seatOf(queue.enter('greedy'));
  const run = async (name: string): Promise<void> => {
    const seat = seatOf(await placeOf(queue.enter(name)).seat);
    served.push(name);
    seat.release();
  };
  const greedy = Array.from({ length: 1000 }, () => run('greedy'));
  const modest = [run('modest'), run('modest')];
  first.release();
  await Promise.all(modest);
  assert.deepEqual(served, ['greedy', 'modest', 'greedy', 'modest']);
  await Promise.all(greedy);
  assert.deepEqual([queue.inFlight, queue.queued], [0, 0]);
});

test('a client that does not give its seats back leaves the others some', async () => {
  const { queue } = queueOf({ seats: 4, seatsPerClient: 2 });
  const stuck = [queue.enter('slow'), queue.enter('slow')].map(seatOf);
  const waiting = placeOf(queue.enter('slow'));
  seatOf(queue.enter('other')).release();
  await turn();
  assert.deepEqual([queue.inFlight, queue.queued], [2, 1]);
  stuck[0]?.release();
  seatOf(await waiting.seat);
});

test('past its queue a client is sent away, others are not', () => {
  const { queue } = queueOf({ seats: 1, waitingPerClient: 2, waiting: 3 });
  seatOf(queue.enter('a'));
  placeOf(queue.enter('a'));
  placeOf(queue.enter('a'));
  assert.equal(queue.enter('a'), 'queue-full');
  placeOf(queue.enter('b'));
  assert.equal(queue.enter('b'), 'queue-full'); // all queues together are full
});

test('who waits too long is sent away', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue } = queueOf({ seats: 1, longestWaitMs: 500 });
  const seat = seatOf(queue.enter('a'));
  const waiting = placeOf(queue.enter('b'));
  t.mock.timers.tick(500);
  assert.equal(await waiting.seat, 'time-out');
  seat.release();
  assert.deepEqual([queue.inFlight, queue.queued], [0, 0]);
});

test('who leaves is not served', async () => {
  const { queue } = queueOf({ seats: 1 });
  const seat = seatOf(queue.enter('a'));
  const [gone, next] = [placeOf(queue.enter('b')), placeOf(queue.enter('b'))];
  gone.leave();
  seat.release();
  assert.equal(await gone.seat, 'gone');
  seatOf(await next.seat).release();
  gone.leave();
  assert.deepEqual([queue.inFlight, queue.queued], [0, 0]);
});

test('when the time of a turn is over, the rest waits for the next one, where newcomers have their turn', async () => {
  const { queue, pass } = queueOf({}, 10);
  const served: string[] = [];
  const run = (name: string): void => {
    const entered = queue.enter(name);
    const work = (seat: Seat): void => {
      served.push(name);
      pass(6);
      seat.release();
    };
    if (typeof entered === 'object' && 'release' in entered) work(entered);
    else void placeOf(entered).seat.then((seat) => work(seatOf(seat)));
  };
  for (let n = 0; n < 6; n++) run('lists');
  assert.deepEqual(served, ['lists', 'lists']); // the third would have begun after 12 ms
  run('newcomer');
  await turn();
  await turn();
  assert.deepEqual(served.slice(2, 4), ['lists', 'newcomer']);
  while (queue.queued > 0) await turn();
  assert.equal(served.length, 7);
});

test('whatever comes and goes, limits hold and everybody is answered', async () => {
  const step = fc.oneof(
    fc.record({ what: fc.constant('enter' as const), client: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ what: fc.constantFrom('release' as const, 'leave' as const), index: fc.nat(30) }),
    fc.record({ what: fc.constant('turn' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const limits = { seats: 3, seatsPerClient: 2, waiting: 10, waitingPerClient: 5 };
      const { queue } = queueOf(limits);
      const seated: Seat[] = [];
      const places: Place[] = [];
      const take = (outcome: Seat | NoSeat): void => {
        if (typeof outcome === 'object') seated.push(outcome);
      };
      for (const each of steps) {
        if (each.what === 'enter') {
          const entered = queue.enter(`c${each.client}`);
          if (typeof entered === 'object' && 'seat' in entered) {
            places.push(entered);
            void entered.seat.then(take);
          } else take(entered);
        } else if (each.what === 'release') seated.splice(each.index % (seated.length + 1), 1)[0]?.release();
        else if (each.what === 'leave') places[each.index % (places.length + 1)]?.leave();
        else await turn();
        assert.ok(queue.inFlight <= limits.seats && queue.queued <= limits.waiting);
      }
      for (let last = -1; queue.queued + queue.inFlight > 0; ) {
        for (const seat of seated.splice(0)) seat.release();
        await turn();
        assert.notEqual(queue.queued + queue.inFlight, last, 'nobody is served although seats are free');
        last = queue.queued + queue.inFlight;
      }
      await Promise.all(places.map((place) => place.seat));
    }),
    { numRuns: 200 },
  );
});
