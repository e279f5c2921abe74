import { type Clock, type Random, systemClock, type Timer } from '../../kube/index.ts';
import type { Bus, BusHint } from './bus.ts';

/** What a bus for tests does wrong. */
export interface BusFaults {
  /** Share of hints and signs of life that get lost, 0 to 1. */
  readonly dropRate?: number;
  /** Share of the hints that arrive which arrive twice, 0 to 1. */
  readonly doubleRate?: number;
  /** Hints are late by up to so much, so that they overtake each other. */
  readonly delayMs?: number;
  /** Seeded, so that a run can be repeated. */
  readonly random: Random;
  /** The machine's clock unless given. */
  readonly clock?: Clock;
}

/** A bus that misbehaves, and what it did. */
export interface UnreliableBus extends Bus {
  readonly done: { readonly dropped: number; readonly doubled: number; readonly delayed: number };
}

/** Loses, doubles and delays the hints of a bus: work has to finish all the same. Closing it closes the bus below. */
export function createUnreliableBus(bus: Bus, faults: BusFaults): UnreliableBus {
  const { dropRate = 0, doubleRate = 0, delayMs = 0, random, clock = systemClock } = faults;
  const done = { dropped: 0, doubled: 0, delayed: 0 };
  const late = new Set<Timer>();
  const isLost = (): boolean => {
    const lost = random() < dropRate;
    if (lost) done.dropped++;
    return lost;
  };
  const publishLate = (hint: BusHint): void => {
    done.delayed++;
    const timer = clock.after(random() * delayMs, () => {
      late.delete(timer);
      // Whoever published has gone on and cannot be told any more; to them the hint is lost.
      bus.publish(hint).catch(() => done.dropped++);
    });
    late.add(timer);
  };
  const send = async (hint: BusHint): Promise<void> => {
    if (delayMs > 0) publishLate(hint);
    else await bus.publish(hint);
  };
  return {
    done,
    async publish(hint) {
      if (isLost()) return;
      const isDoubled = random() < doubleRate;
      if (isDoubled) done.doubled++;
      await send(hint);
      if (isDoubled) await send(hint);
    },
    takeWork: (order, listener) => bus.takeWork(order, listener),
    listen: (listener) => bus.listen(listener),
    async keepAlive(workerId, ttlMs) {
      if (!isLost()) await bus.keepAlive(workerId, ttlMs);
    },
    alive: () => bus.alive(),
    get isConnected() {
      return bus.isConnected;
    },
    async close() {
      for (const timer of late) timer.cancel();
      late.clear();
      await bus.close();
    },
  };
}
