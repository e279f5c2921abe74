import type { Msg } from '@nats-io/transport-node';
import type { Clock, Random } from '../../../kube/index.ts';
import type { Logger } from '../../../telemetry/index.ts';
import type { BusMetrics } from '../bus-metrics.ts';
import { messageOf } from '../errors.ts';
import { createHandOver, type HintListener } from '../hand-over.ts';
import type { Link } from './dial.ts';
import { decodeHint } from './hint-message.ts';
import type { NatsNames } from './names.ts';
import type { NatsSettings } from './nats-settings.ts';
import { openSession, type Session } from './session.ts';
import { createTakerDesk } from './taker-desk.ts';

/** What a switchboard works with. */
export interface SwitchboardParts {
  readonly names: NatsNames;
  readonly settings: NatsSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: BusMetrics;
}

/** Joins those who publish and listen here to whichever connection there is. */
export interface Switchboard {
  /** The session in use, if NATS is connected. */
  readonly session: Session | undefined;
  /** Moves everybody to a new connection. Never rejects. */
  connect(link: Link, ended: AbortSignal): Promise<void>;
  /** Adds somebody who is told everything but work. */
  listen(listener: HintListener): () => void;
  readonly takers: ReturnType<typeof createTakerDesk>;
  /** Ends all listening. */
  close(): void;
}

/** Makes the switchboard of one bus. */
export function createSwitchboard(parts: SwitchboardParts): Switchboard {
  const { names, settings, logger, metrics } = parts;
  const handOver = createHandOver(parts);
  const takers = createTakerDesk({ ...parts, handOver });
  const listeners = new Set<{ readonly tell: HintListener }>();
  let session: Session | undefined;

  const hear = (error: Error | null, message: Msg): void => {
    if (error !== null) {
      logger.warn('NATS lets us hear no hints', { detail: messageOf(error) });
      return;
    }
    const hint = decodeHint(message.string());
    // Work comes through the stream only, where one taker gets it.
    if (hint === undefined || hint.about === 'work') metrics.malformed();
    else for (const { tell } of [...listeners]) handOver(tell, hint);
  };
  const moveTo = async (link: Link, ended: AbortSignal): Promise<void> => {
    link.nc.subscribe(names.allHints, { callback: hear });
    // Only now do hints come back to us, so only now are we connected.
    await link.nc.flush();
    if (ended.aborted) return;
    // Servers before 2.11 do not know lifetimes of single messages and pass over them in silence.
    if ((link.nc.info?.api_lvl ?? 0) < 1) {
      const { version = '?' } = link.nc.info ?? {};
      logger.warn('this NATS is older than 2.11; signs of life last longer than they should', { version });
    }
    session = openSession(link, { names, settings, ended, onStreamMade: () => metrics.setUpAgain('stream') });
    await Promise.all([takers.moveTo(session), session.stream.ensure()]);
  };
  return {
    get session() {
      return session?.ended.aborted === false ? session : undefined;
    },
    async connect(link, ended) {
      try {
        await moveTo(link, ended);
      } catch (error) {
        logger.warn('NATS is there but takes no hints of work; is JetStream on?', { detail: messageOf(error) });
      }
    },
    listen(tell) {
      const one = { tell };
      listeners.add(one);
      return () => void listeners.delete(one);
    },
    takers,
    close() {
      takers.stop();
      listeners.clear();
    },
  };
}
