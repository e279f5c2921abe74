import type { Logger } from '../../telemetry/index.ts';
import type { BusHint } from './bus.ts';
import type { BusMetrics } from './bus-metrics.ts';

/** Somebody who is told hints. */
export type HintListener = (hint: BusHint) => void;

/** Gives a hint to a listener; what the listener throws, now or later, is counted and hurts nobody. */
export type HandOver = (listener: HintListener, hint: BusHint) => void;

/** Makes the hand-over of a bus. */
export function createHandOver(parts: { readonly logger: Logger; readonly metrics: BusMetrics }): HandOver {
  const { logger, metrics } = parts;
  return (listener, hint) => {
    const failed = (error: unknown): void => {
      metrics.listenerFailed(hint.about);
      logger.error('a listener of the bus failed', { about: hint.about, error });
    };
    metrics.received(hint.about);
    try {
      // An async function passes for a listener, and its rejection would end the process.
      const late: unknown = listener(hint);
      if (late instanceof Promise) late.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
