import type { Logger } from '../telemetry/index.ts';
import type { Bus, BusHint } from './bus/bus.ts';
import type { EngineMetrics } from './engine-metrics.ts';

/** Work that can be leased now. */
export interface ReadyWork {
  readonly facility: string;
  readonly kind: string;
  readonly conditionId: string;
}

/** A listener of the engine's hints. */
export type HintListener = (hint: { readonly conditionId?: string; readonly target?: string }) => void;

/** Tells this process and the bus what changed. Nothing waits for it and nothing depends on it. */
export interface Hints {
  /** Work became ready. */
  work(ready: readonly ReadyWork[]): void;
  /** A condition changed. */
  changed(condition: { readonly id: string; readonly target: string }): void;
  cancelled(conditionId: string): void;
  online(workerId: string): void;
  onHint(listener: HintListener): () => void;
  /** Called when something that can be leased may be there: for any of these facilities and kinds. */
  onWork(listener: (ready: readonly ReadyWork[]) => void): () => void;
  readonly bus: Bus | undefined;
  close(): void;
}

/** Makes the hints of one engine; with a bus they also travel. */
export function createHints(options: {
  readonly bus: Bus | undefined;
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
}): Hints {
  const { bus, logger, metrics } = options;
  const listeners = new Set<HintListener>();
  const workListeners = new Set<(ready: readonly ReadyWork[]) => void>();
  const tell: HintListener = (hint) => {
    for (const listener of [...listeners]) {
      try {
        listener(hint);
      } catch (error) {
        // What it is told of has happened: whoever did it must not hear of a failure.
        metrics.hintLost();
        logger.error('a listener of hints failed', { error });
      }
    }
  };
  const publish = (hint: BusHint): void => {
    bus?.publish(hint).catch((error: unknown) => {
      metrics.hintLost();
      logger.debug('a hint was not published; the next sweep makes up for it', { about: hint.about, error });
    });
  };
  const heard = (hint: BusHint): void => {
    if (hint.about === 'condition') tell({ conditionId: hint.conditionId, target: hint.target });
  };
  // Nobody waits for the bus: it may be away for a while.
  const listening = bus?.listen(heard).catch((error: unknown) => {
    metrics.hintLost();
    logger.warn('the bus cannot be listened to; work goes on without it', { error });
    return undefined;
  });
  return {
    bus,
    work(ready) {
      if (ready.length === 0) return;
      for (const listener of workListeners) listener(ready);
      for (const one of ready) publish({ about: 'work', ...one });
    },
    changed(condition) {
      // A connected bus brings our own hint back; without one we tell ourselves.
      if (bus?.isConnected !== true) tell({ conditionId: condition.id, target: condition.target });
      publish({ about: 'condition', conditionId: condition.id, target: condition.target });
    },
    cancelled: (conditionId) => publish({ about: 'cancel', conditionId }),
    online: (workerId) => publish({ about: 'online', workerId }),
    onHint(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onWork(listener) {
      workListeners.add(listener);
      return () => void workListeners.delete(listener);
    },
    close() {
      listeners.clear();
      workListeners.clear();
      listening?.then((stop) => stop?.()).catch(() => metrics.hintLost());
    },
  };
}
