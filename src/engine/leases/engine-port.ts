import type { EngineContext } from '../context.ts';
import { EngineError, isEngineError } from '../errors.ts';
import { createTurns } from '../turns.ts';
import type { Lease, WorkerIdentity, WorkerPort } from '../worker/worker-port.ts';
import { bringOnline, findWorker, hearFrom, takeOffline } from './controllers.ts';
import { releaseLease } from './give-up.ts';
import { createWaker, leaseNow, type Waker } from './lease-work.ts';
import { checkLease, takeReport } from './report.ts';
import { createSlots } from './slots.ts';

/** The port of an engine, with what ends it. */
export interface EnginePort extends WorkerPort {
  close(): Promise<void>;
}

/** A worker that works through this process: who it is, and how its hints from the bus are ended. */
interface Known {
  readonly worker: WorkerIdentity;
  readonly unsubscribe: () => Promise<void>;
}

/** Makes the way into an engine for workers of the same process; a front door serves it to others. */
export function createEnginePort(context: EngineContext): EnginePort {
  const waker = createWaker(context);
  const slots = createSlots(context);
  const known = new Map<string, Known>();
  const closing = new AbortController();
  /** Leases of one process are made one after another: they would only get into each other's way in the store. */
  const inTurn = createTurns();

  const forget = (workerId: string): void => {
    const one = known.get(workerId);
    known.delete(workerId);
    waker.leave(workerId);
    one?.unsubscribe().catch(() => context.metrics.hintLost());
  };

  const know = (worker: WorkerIdentity): Known => {
    forget(worker.id);
    waker.join(worker);
    const one = { worker, unsubscribe: subscribe(context, waker, worker) };
    known.set(worker.id, one);
    return one;
  };

  const lease: WorkerPort['lease'] = async (workerId, { max, waitMs, signal, target }) => {
    const one = known.get(workerId) ?? know(await findWorker(context, workerId));
    const { worker } = one;
    const over = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
    const end = context.clock.monotonic() + waitMs;
    for (;;) {
      if (closing.signal.aborted) throw new EngineError('closed', {});
      if (over.aborted) return [];
      // It went offline, or came online anew, while this call waited.
      if (known.get(workerId) !== one) throw new EngineError('unknownWorker', { worker: workerId });
      const seen = waker.countOf(workerId);
      const leases: readonly Lease[] = max <= 0 ? [] : await inTurn(() => leaseNow(context, { worker, max, target }));
      const left = end - context.clock.monotonic();
      if (leases.length > 0 || left <= 0) return leases;
      await waker.wait(workerId, { seen, ms: Math.min(left, context.settings.pollMs), signal: over });
    }
  };

  return {
    async online(worker) {
      await bringOnline(context, worker);
      know(await findWorker(context, worker.id));
      keepAlive(context, worker.id);
    },
    async heartbeat(workerId) {
      try {
        await hearFrom(context, workerId);
        keepAlive(context, workerId);
      } catch (error) {
        if (isEngineError(error, 'unknownWorker')) forget(workerId);
        throw error;
      }
    },
    async offline(workerId, options) {
      forget(workerId);
      await takeOffline(context, workerId, options);
    },
    lease,
    report: (held, report) => takeReport(context, held, report),
    check: (held, options) => checkLease(context, held, options),
    release: (held, why, options) => releaseLease(context, held, { why, ...options }),
    acquireSlot: (name, held, signal) => slots.acquire(name, held, AbortSignal.any([signal, closing.signal])),
    async close() {
      closing.abort();
      for (const workerId of [...known.keys()]) forget(workerId);
      await inTurn(async () => {});
    },
  };
}

/**
 * A worker is woken by the bus too; without one, or when it fails, it looks for itself. Nothing waits for the bus: it
 * may be gone for a while.
 */
function subscribe(context: EngineContext, waker: Waker, worker: WorkerIdentity): () => Promise<void> {
  const { bus } = context.hints;
  if (bus === undefined) return async () => {};
  const order = { facilities: [...worker.facilities, ''], kinds: worker.kinds, workerId: worker.id };
  const subscribed = bus
    .takeWork(order, () => waker.wake(worker.id))
    .catch((error: unknown) => {
      context.metrics.hintLost();
      context.logger.warn('no hints of work from the bus; the worker looks for itself', { worker: worker.id, error });
      return undefined;
    });
  return async () => {
    await (await subscribed)?.();
  };
}

function keepAlive(context: EngineContext, workerId: string): void {
  const { bus } = context.hints;
  bus?.keepAlive(workerId, context.settings.controllerLostMs).catch(() => context.metrics.hintLost());
}
