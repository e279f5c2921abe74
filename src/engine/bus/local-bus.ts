import { type Clock, systemClock } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { Bus, BusHint } from './bus.ts';
import { createBusMetrics } from './bus-metrics.ts';
import { BusError } from './errors.ts';
import { createHandOver, type HintListener } from './hand-over.ts';
import { createSpread, type Taker } from './spread.ts';

/** How a bus in this process is made. */
export interface LocalBusOptions {
  /** What signs of life expire by; the machine's clock unless given. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** How many hints are handed over before other work of the process gets its turn. */
const hintsPerTurn = 256;

/** A bus within one process. */
export function createLocalBus(options: LocalBusOptions = {}): Bus {
  const { clock = systemClock, logger = silentLogger } = options;
  const metrics = createBusMetrics(options.metrics ?? noMetrics);
  const handOver = createHandOver({ logger, metrics });
  const listeners = new Set<{ readonly tell: HintListener }>();
  const takers = createSpread();
  const aliveUntil = new Map<string, number>();
  const queue = createHintQueue((hint) => {
    if (hint.about !== 'work') for (const { tell } of [...listeners]) handOver(tell, hint);
    else {
      const taker = takers.next(hint);
      if (taker !== undefined) handOver(taker.listener, hint);
    }
  });
  let isClosed = false;
  const openFor = (what: string): void => {
    if (isClosed) throw new BusError('closed', { what });
  };
  const forgetTheDead = (): void => {
    for (const [id, until] of aliveUntil) if (until <= clock.monotonic()) aliveUntil.delete(id);
  };
  return {
    async publish(hint) {
      if (isClosed) return metrics.dropped(hint.about, 'closed');
      metrics.published(hint.about);
      queue.add(hint);
    },
    async takeWork(order, listener) {
      openFor('takeWork');
      const taker: Taker = { facilities: new Set(order.facilities), kinds: new Set(order.kinds), listener };
      takers.add(taker);
      return async () => takers.remove(taker);
    },
    async listen(tell) {
      openFor('listen');
      const one = { tell };
      listeners.add(one);
      return async () => void listeners.delete(one);
    },
    async keepAlive(workerId, ttlMs) {
      if (isClosed) return metrics.dropped('alive', 'closed');
      forgetTheDead();
      aliveUntil.set(workerId, clock.monotonic() + ttlMs);
    },
    async alive() {
      forgetTheDead();
      return new Set(aliveUntil.keys());
    },
    get isConnected() {
      return !isClosed;
    },
    async close() {
      isClosed = true;
      queue.clear();
      listeners.clear();
      takers.clear();
      aliveUntil.clear();
    },
  };
}

/** Hands hints over in order, after whoever published has gone on, and in turns that let the rest of the process live. */
function createHintQueue(deliver: (hint: BusHint) => void): { add(hint: BusHint): void; clear(): void } {
  let waiting: BusHint[] = [];
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  };
  const turn = (): void => {
    isScheduled = false;
    const now = waiting.slice(0, hintsPerTurn);
    waiting = waiting.slice(hintsPerTurn);
    if (waiting.length > 0) schedule();
    for (const hint of now) deliver(hint);
  };
  return {
    add(hint) {
      waiting.push(hint);
      schedule();
    },
    clear() {
      waiting = [];
    },
  };
}
