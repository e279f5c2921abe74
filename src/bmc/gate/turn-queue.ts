/** Somebody who waits for a turn. */
interface Waiter {
  readonly grant: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Requests of one caller, in order. */
export interface QueueLane {
  readonly waiters: Waiter[];
}

/** Turns at a BMC. Lanes take turns, so that a caller with a thousand requests does not keep out one with a single one. */
export interface TurnQueue {
  readonly waiting: number;
  readonly inFlight: number;
  /** Undefined when the turn is taken at once; else a promise of it, which rejects with the signal's reason. */
  take(
    lane: QueueLane,
    options: { readonly isFirst: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<void> | undefined;
  giveBack(): void;
  /** Resolves when no turn is taken. */
  untilIdle(): Promise<void>;
  /** Refuses everybody who waits. */
  refuseAll(reason: unknown): void;
}

/** Makes a queue with so many turns at once. */
export function createTurnQueue(maxInFlight: number): TurnQueue {
  /** Lanes with waiters, the next to be served first. */
  const ring: QueueLane[] = [];
  let waiting = 0;
  let inFlight = 0;
  const idlers: (() => void)[] = [];

  const leave = (lane: QueueLane, waiter: Waiter): boolean => {
    const at = lane.waiters.indexOf(waiter);
    if (at === -1) return false;
    lane.waiters.splice(at, 1);
    waiting -= 1;
    if (lane.waiters.length === 0) ring.splice(ring.indexOf(lane), 1);
    return true;
  };

  const grantNext = (): void => {
    const lane = ring.shift();
    const waiter = lane?.waiters.shift();
    if (lane === undefined || waiter === undefined) return;
    waiting -= 1;
    if (lane.waiters.length > 0) ring.push(lane);
    inFlight += 1;
    waiter.grant();
  };

  return {
    get waiting() {
      return waiting;
    },
    get inFlight() {
      return inFlight;
    },
    take(lane, { isFirst, signal }) {
      if (inFlight < maxInFlight && waiting === 0) {
        inFlight += 1;
        return undefined;
      }
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          if (leave(lane, waiter)) reject(signal?.reason);
        };
        const waiter: Waiter = {
          grant() {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
          refuse(reason) {
            signal?.removeEventListener('abort', onAbort);
            reject(reason);
          },
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        if (lane.waiters.length === 0) ring.push(lane);
        if (isFirst) lane.waiters.unshift(waiter);
        else lane.waiters.push(waiter);
        waiting += 1;
      });
    },
    giveBack() {
      inFlight -= 1;
      if (waiting > 0) grantNext();
      else if (inFlight === 0 && idlers.length > 0) for (const resolve of idlers.splice(0)) resolve();
    },
    untilIdle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    refuseAll(reason) {
      for (const lane of ring.splice(0)) {
        for (const waiter of lane.waiters.splice(0)) waiter.refuse(reason);
      }
      waiting = 0;
    },
  };
}
