import type { Bus, BusHint, Condition, Engine } from '../../engine/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { OrcMetrics } from '../orc-metrics.ts';

/** What is needed to hint workers. */
export interface HintParts {
  readonly engine: Pick<Engine, 'list' | 'controllers'>;
  readonly bus: Bus;
  readonly logger: Logger;
  readonly metrics: Pick<OrcMetrics, 'publishFailed'>;
}

/** More would not wake a worker better: it looks into the store for the rest. */
const mostHints = 100;

/** Waits for something else than a worker. */
const waiting = new Set(['WaitsForUnit', 'WaitsForLock', 'WaitsForTurn', 'HostInUse', 'ClaimedTwice']);

/** Publishes what is unresolved for a worker that came online, so that it need not wait for the next round. */
export async function hintWorker({ engine, bus, metrics }: HintParts, workerId: string): Promise<number> {
  const worker = (await engine.controllers()).find(({ id, isOnline }) => id === workerId && isOnline);
  if (worker === undefined) return 0;
  const found: Condition[] = [];
  for (const facility of [...worker.facilities, '']) {
    for (const kind of worker.kinds) {
      const page = await engine.list({ facility, kind, states: ['pending'], limit: mostHints });
      found.push(...page.conditions);
    }
  }
  const ready = found.filter(({ reason }) => reason === undefined || !waiting.has(reason.code));
  for (const { facility, kind, id } of ready) {
    await bus.publish({ about: 'work', facility, kind, conditionId: id }).catch(() => metrics.publishFailed());
  }
  return ready.length;
}

/** Hints every worker that comes online, until it is stopped. A bus that cannot be listened to is only logged. */
export async function hintWhoComesOnline(parts: HintParts): Promise<() => Promise<void>> {
  const running = new Set<Promise<unknown>>();
  const heard = (hint: BusHint): void => {
    if (hint.about !== 'online') return;
    const work = hintWorker(parts, hint.workerId)
      .catch((error: unknown) => parts.logger.warn('a worker that came online was not hinted', { error }))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const stop = await parts.bus.listen(heard).catch((error: unknown) => {
    parts.metrics.publishFailed();
    parts.logger.warn('the bus cannot be listened to; workers find their work without hints', { error });
    return undefined;
  });
  return async () => {
    await stop?.();
    await Promise.all(running);
  };
}
