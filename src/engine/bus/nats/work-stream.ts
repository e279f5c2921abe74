import {
  AckPolicy,
  type ConsumerInfo,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { BusError } from '../errors.ts';
import type { Link } from './dial.ts';
import type { NatsNames, WorkPlace } from './names.ts';
import type { NatsSettings } from './nats-settings.ts';

/** The stream in which work waits, as seen over one connection. */
export interface WorkStream {
  /** Makes the stream unless it is there, and sets what differs from our settings. Says whether it was made. */
  ensure(): Promise<'made' | 'found'>;
  /** Makes the consumer that the workers of a facility and kind share. */
  ensureConsumer(place: WorkPlace): Promise<ConsumerInfo>;
}

/** The work stream over a connection. */
export function workStreamOver(link: Link, names: NatsNames, settings: NatsSettings): WorkStream {
  const wanted = streamConfig(names, settings);
  let asking: Promise<'made' | 'found'> | undefined;
  const ensure = (): Promise<'made' | 'found'> => {
    // Many that miss the stream at once ask for it once.
    asking ??= ensureStream(link, wanted).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  return {
    ensure,
    ensureConsumer: (place) =>
      link.jsm.consumers.add(names.workStream, {
        durable_name: names.consumer(place),
        filter_subject: names.workOf(place),
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(settings.ackWaitMs),
        max_ack_pending: Math.max(1000, settings.prefetch * 100),
        // Enough for takers that die with a hint in their hands; a hint that nobody can take is not worth more.
        max_deliver: 5,
        inactive_threshold: nanos(settings.consumerIdleMs),
      }),
  };
}

/** True when NATS says that the stream, or the consumer, is not there. */
export function isMissing(error: unknown): boolean {
  if (error instanceof JetStreamApiError) {
    return error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound;
  }
  // Publishing to a subject that no stream keeps looks to the client as if nobody had JetStream at all.
  return error instanceof Error && error.name === 'JetStreamNotEnabled';
}

type WorkConfig = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects' | 'retention'>;

function streamConfig(names: NatsNames, settings: NatsSettings): WorkConfig {
  return {
    name: names.workStream,
    description: 'Hints of work that nobody took yet. Safe to delete: it is made again.',
    subjects: [names.allWork],
    retention: RetentionPolicy.Workqueue,
    storage: settings.storage === 'memory' ? StorageType.Memory : StorageType.File,
    num_replicas: settings.replicas,
    max_age: nanos(settings.workMaxAgeMs),
    max_msgs: settings.workMaxHints,
    // A condition that is published again while its hint still waits replaces it, so the queue does not grow.
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(settings.duplicateWindowMs),
  };
}

async function ensureStream(link: Link, wanted: WorkConfig): Promise<'made' | 'found'> {
  const found = await findStream(link, wanted.name);
  if (found === undefined) {
    await link.jsm.streams.add(wanted);
    return 'made';
  }
  if (found.config.retention !== wanted.retention) {
    throw new BusError('foreignStream', { stream: wanted.name, detail: `its retention is ${found.config.retention}` });
  }
  // Retention and storage cannot be changed; the storage it has will do.
  const { retention: _retention, storage: _storage, name, ...changeable } = wanted;
  const isAsWanted = Object.entries(changeable).every(
    ([key, value]) => JSON.stringify(found.config[key as keyof StreamConfig]) === JSON.stringify(value),
  );
  if (!isAsWanted) await link.jsm.streams.update(name, changeable);
  return 'found';
}

async function findStream(link: Link, name: string): Promise<StreamInfo | undefined> {
  try {
    return await link.jsm.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  }
}
