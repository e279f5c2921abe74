import { errors, nuid } from '@nats-io/transport-node';
import type { BusHint } from '../bus.ts';
import type { DropReason } from '../bus-metrics.ts';
import type { Link } from './dial.ts';
import { encodeHint } from './hint-message.ts';
import { type LifeSigns, lifeSignsOver } from './life-signs.ts';
import type { NatsNames } from './names.ts';
import { type NatsSettings, requestMs } from './nats-settings.ts';
import { isMissing, type WorkStream, workStreamOver } from './work-stream.ts';

/** What the bus does over one connection. */
export interface Session {
  readonly link: Link;
  readonly stream: WorkStream;
  readonly life: LifeSigns;
  /** Aborted when the connection has ended. */
  readonly ended: AbortSignal;
  /** Sends a hint once, and says why it could not. */
  send(hint: BusHint): Promise<DropReason | undefined>;
}

/** What a session needs to know. */
export interface SessionPlan {
  readonly names: NatsNames;
  readonly settings: NatsSettings;
  readonly ended: AbortSignal;
  /** Called when the stream had vanished and was made again. */
  onStreamMade(): void;
}

/** Opens a session over a connection. */
export function openSession(link: Link, plan: SessionPlan): Session {
  const { names, settings, ended } = plan;
  const stream = workStreamOver(link, names, settings);
  return {
    link,
    stream,
    life: lifeSignsOver(link, names, settings),
    ended,
    async send(hint) {
      try {
        if (hint.about === 'work') await sendWork(link, stream, { ...plan, hint });
        else link.nc.publish(names.hint(hint.about), encodeHint(hint));
        return undefined;
      } catch (error) {
        return dropReason(error);
      }
    },
  };
}

/**
 * Sends a hint of work and waits until NATS keeps it. A lost answer or a lost stream gets a second try under the same
 * message id, so that NATS keeps one however often it hears it.
 */
async function sendWork(
  link: Link,
  stream: WorkStream,
  plan: SessionPlan & { readonly hint: Extract<BusHint, { about: 'work' }> },
): Promise<void> {
  const { hint, names, settings } = plan;
  const options = { msgID: nuid.next(), timeout: requestMs(settings) };
  const send = () => link.js.publish(names.work(hint), encodeHint(hint), options);
  try {
    await send();
  } catch (error) {
    if (isMissing(error)) {
      if ((await stream.ensure()) === 'made') plan.onStreamMade();
    } else if (!(error instanceof errors.TimeoutError)) throw error;
    await send();
  }
}

/** Why something could not be sent. */
export function dropReason(error: unknown): DropReason {
  if (error instanceof errors.TimeoutError) return 'timeout';
  const isGone =
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError ||
    (error instanceof errors.RequestError && !error.isNoResponders());
  return isGone ? 'disconnected' : 'refused';
}
