import type { Metrics } from '../../telemetry/index.ts';
import type { BusHint } from './bus.ts';

/** What a hint is about. */
export type HintTopic = BusHint['about'] | 'alive';

/** Why a hint did not go out. */
export type DropReason = 'closed' | 'disconnected' | 'overflow' | 'timeout' | 'refused';

/** What a bus counts. */
export interface BusMetrics {
  published(about: HintTopic): void;
  dropped(about: HintTopic, why: DropReason): void;
  received(about: HintTopic): void;
  /** A message that is no hint of ours. */
  malformed(): void;
  listenerFailed(about: HintTopic): void;
  connected(isConnected: boolean): void;
  connectFailed(why: string): void;
  /** A consumer or stream had to be set up anew. */
  setUpAgain(what: string): void;
}

/** Defines the metrics of a bus. */
export function createBusMetrics(metrics: Metrics): BusMetrics {
  const counter = (name: string, help: string, labels: string[] = []) =>
    metrics.counter({ name: `rackwright_bus_${name}_total`, help, labels });
  const published = counter('hints_published', 'Hints that the bus took.', ['about']);
  const dropped = counter('hints_dropped', 'Hints that were dropped; the next sweep makes up for them.', [
    'about',
    'why',
  ]);
  const received = counter('hints_received', 'Hints that were handed to listeners.', ['about']);
  const malformed = counter('messages_malformed', 'Messages on our subjects that are no hints of ours.');
  const failed = counter('listener_failures', 'Listeners that threw.', ['about']);
  const connectFailed = counter('connect_failures', 'Attempts to connect that failed.', ['why']);
  const again = counter('set_up_again', 'Streams and consumers that vanished and were made again.', ['what']);
  const connected = metrics.gauge({ name: 'rackwright_bus_connected', help: 'Whether the bus is connected.' });
  return {
    published: (about) => published.add(1, { about }),
    dropped: (about, why) => dropped.add(1, { about, why }),
    received: (about) => received.add(1, { about }),
    malformed: () => malformed.add(),
    listenerFailed: (about) => failed.add(1, { about }),
    connected: (isConnected) => connected.set(isConnected ? 1 : 0),
    connectFailed: (why) => connectFailed.add(1, { why }),
    setUpAgain: (what) => again.add(1, { what }),
  };
}
