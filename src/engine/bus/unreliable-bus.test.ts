import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock } from '../../kube/index.ts';
import type { BusHint } from './bus.ts';
import { busContract } from './contract/bus-contract.ts';
import { createLocalBus } from './local-bus.ts';
import { type BusFaults, createUnreliableBus } from './unreliable-bus.ts';

/** Numbers in [0, 1) that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ids = Array.from({ length: 400 }, (_, i) => `c${i}`);

async function run(faults: Omit<BusFaults, 'random' | 'clock'>, seed = 7) {
  const clock = createFakeClock();
  const bus = createUnreliableBus(createLocalBus({ clock }), { ...faults, random: seeded(seed), clock });
  const seen: string[] = [];
  await bus.listen((hint: BusHint) => void seen.push(hint.about === 'cancel' ? hint.conditionId : '?'));
  for (const conditionId of ids) await bus.publish({ about: 'cancel', conditionId });
  clock.advance(faults.delayMs ?? 0);
  // The local bus hands over 256 hints a turn.
  for (let turn = 0; turn < 8; turn++) await nextTurn();
  return { bus, seen, clock };
}

busContract('local bus behind no faults', async () => {
  const clock = createFakeClock();
  const bus = createUnreliableBus(createLocalBus({ clock }), { random: seeded(1), clock });
  return { open: async () => bus, passTime: (ms) => clock.advance(ms), close: () => bus.close() };
});

describe('a bus with faults', () => {
  it('is as good as the bus below without any', async () => {
    const { bus, seen } = await run({});
    assert.deepEqual(seen, ids);
    assert.deepEqual(bus.done, { dropped: 0, doubled: 0, delayed: 0 });
  });

  it('loses the share that it shall lose, and says how many', async () => {
    const { bus, seen } = await run({ dropRate: 0.3 });
    assert.equal(seen.length, 400 - bus.done.dropped);
    assert.ok(bus.done.dropped > 80 && bus.done.dropped < 160, `${bus.done.dropped}`);
  });

  it('loses everything at 1, signs of life too', async () => {
    const { bus, seen } = await run({ dropRate: 1, doubleRate: 1 });
    assert.deepEqual(seen, []);
    await bus.keepAlive('w', 1000);
    assert.equal((await bus.alive()).size, 0);
  });

  it('doubles the share that it shall double', async () => {
    const { bus, seen } = await run({ doubleRate: 0.5 });
    assert.equal(seen.length, 400 + bus.done.doubled);
    assert.deepEqual([...new Set(seen)], ids);
    assert.ok(bus.done.doubled > 150 && bus.done.doubled < 250, `${bus.done.doubled}`);
  });

  it('brings all of them late and out of order', async () => {
    const { bus, seen } = await run({ delayMs: 500 });
    assert.equal(bus.done.delayed, 400);
    assert.notDeepEqual(seen, ids);
    assert.deepEqual([...seen].sort(), [...ids].sort());
  });

  it('does the same for the same seed and something else for another', async () => {
    const faults = { dropRate: 0.2, doubleRate: 0.2, delayMs: 100 };
    const [one, same, other] = [await run(faults, 1), await run(faults, 1), await run(faults, 2)];
    assert.deepEqual(one.seen, same.seen);
    assert.notDeepEqual(one.seen, other.seen);
  });

  it('forgets what is late when it is closed, and closes the bus below', async () => {
    const clock = createFakeClock();
    const below = createLocalBus({ clock });
    const bus = createUnreliableBus(below, { delayMs: 100, random: seeded(1), clock });
    await bus.publish({ about: 'online', workerId: 'w' });
    assert.equal(clock.pending, 1);
    await bus.close();
    assert.equal(clock.pending, 0);
    assert.equal(below.isConnected, false);
  });
});
