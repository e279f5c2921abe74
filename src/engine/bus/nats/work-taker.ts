import type { JsMsg } from '@nats-io/jetstream';
import { backoffDelay, type Clock, type Random, sleep } from '../../../kube/index.ts';
import type { Logger } from '../../../telemetry/index.ts';
import type { BusMetrics } from '../bus-metrics.ts';
import { messageOf } from '../errors.ts';
import type { HandOver, HintListener } from '../hand-over.ts';
import type { Link } from './dial.ts';
import { decodeHint } from './hint-message.ts';
import type { WorkPlace } from './names.ts';
import type { NatsSettings } from './nats-settings.ts';
import type { WorkStream } from './work-stream.ts';

/** What takers of one bus share. */
export interface TakerParts {
  readonly handOver: HandOver;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: BusMetrics;
  readonly settings: NatsSettings;
}

/** What one taker takes, over one connection, until `ended`. */
export interface TakeOrder {
  readonly link: Link;
  readonly stream: WorkStream;
  readonly place: WorkPlace;
  readonly listener: HintListener;
  readonly ended: AbortSignal;
}

/**
 * Takes the work of a facility and kind until `ended`, making stream and consumer again when they vanish. Resolves when
 * it takes for the first time, or cannot; goes on by itself after that.
 */
export function takeWork(parts: TakerParts, order: TakeOrder): Promise<void> {
  const { clock, random, logger, metrics, settings } = parts;
  const { place, ended } = order;
  const started = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    let lastWhy = '';
    for (let failures = 0; !ended.aborted; ) {
      const why = await takeOnce(parts, order, () => {
        failures = 0;
        started.resolve();
      });
      started.resolve();
      if (ended.aborted) return;
      failures++;
      metrics.setUpAgain('consumer');
      logger[why === lastWhy ? 'debug' : 'warn']('no hints of work for now; the consumer is set up again', {
        ...place,
        why,
      });
      lastWhy = why;
      await sleep(clock, backoffDelay(settings.reconnect, failures, random), ended);
    }
  };
  void run();
  return started.promise;
}

/** Takes until the connection, the stream or the consumer is gone, and says why. */
async function takeOnce(parts: TakerParts, order: TakeOrder, onStarted: () => void): Promise<string> {
  const { settings } = parts;
  const { link, stream, place, ended } = order;
  try {
    await stream.ensure();
    const consumer = link.js.consumers.getConsumerFromInfo(await stream.ensureConsumer(place));
    const messages = await consumer.consume({
      callback: (message) => takeMessage(parts, order, message),
      max_messages: settings.prefetch,
      expires: Math.max(1000, settings.heartbeatMs * 6),
      idle_heartbeat: settings.heartbeatMs,
      // Told rather than mended inside: making the stream again is ours to do.
      abort_on_missing_resource: true,
    });
    const stop = (): void => messages.stop();
    ended.addEventListener('abort', stop, { once: true });
    if (ended.aborted) stop();
    onStarted();
    const error = await messages.closed();
    ended.removeEventListener('abort', stop);
    return error instanceof Error ? messageOf(error) : 'the order for work ended';
  } catch (error) {
    return messageOf(error);
  }
}

function takeMessage(parts: TakerParts, order: TakeOrder, message: JsMsg): void {
  const { facility, kind } = order.place;
  const hint = decodeHint(message.string());
  if (hint?.about !== 'work' || hint.facility !== facility || hint.kind !== kind) {
    parts.metrics.malformed();
    message.term('not a hint of this facility and kind');
    return;
  }
  // A hint is never the truth: once somebody knows of it, the store is asked, whatever becomes of the taker.
  message.ack();
  parts.handOver(order.listener, hint);
}
