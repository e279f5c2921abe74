import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import type { KubeClient } from './client/client.ts';
import { type Clock, type Random, sleep } from './clock.ts';
import { isNotFound, KubeError } from './errors.ts';
import { createEventBook, type EventBook, type EventWrite } from './event-book.ts';
import type { KubeObject, ResourceRef } from './object.ts';

/** What is told about an object. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  /** A word in CamelCase that machines can match. */
  readonly reason: string;
  /** A sentence for people; never a secret. */
  readonly message: string;
  /** Another object that it concerns. */
  readonly related?: object | undefined;
}

/** The object an event is about. */
export type EventSubject = KubeObject;

/** How events are recorded. */
export interface EventRecorderOptions {
  readonly client: KubeClient;
  /** Who reports, e.g. `rackwright-hosts`. */
  readonly component: string;
  /** The same in the form of today's API, e.g. `metal3.io/baremetal-controller`; the component unless given. */
  readonly reportingComponent?: string | undefined;
  /** How many events are written at once; 1 unless given. */
  readonly concurrency?: number | undefined;
  /** Which of several processes reports. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Tells people what happens to objects, without ever holding up or failing whoever tells. */
export interface EventRecorder {
  /** Returns at once and never throws; a flood is counted up and thinned out. */
  record(subject: EventSubject, draft: EventDraft): void;
  /** Resolves when everything recorded so far was written or given up; for the end of a process. */
  flush(): Promise<void>;
  /** Resolves when fewer than so many events wait: who has much to tell waits for that, so that none is dropped. */
  whenFewerWait(than: number): Promise<void>;
}

/** Core events: what `kubectl describe` and `kubectl get events` show. */
export const events: ResourceRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

const maxAttempts = 4;

/** A recorder that writes events in the background, few at a time. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const logger = (options.logger ?? silentLogger).child({ component: options.component });
  const outcomes = (options.metrics ?? noMetrics).counter({
    name: 'rackwright_events_total',
    help: 'Events by what became of them: written, merged into one that waits, thinned out, dropped.',
    labels: ['outcome'],
  });
  const book: EventBook = createEventBook(options);
  const resource = options.client.resource<KubeObject>(events);
  const writers = new Set<Promise<void>>();
  const patient = new Set<{ readonly than: number; readonly go: () => void }>();

  const write = async (entry: EventWrite): Promise<void> => {
    if (entry.isNew) {
      await resource.create(entry.object);
      return;
    }
    try {
      await resource.patch(entry.key, { type: 'merge', body: entry.change });
    } catch (error) {
      // The server forgets events after a while.
      if (!isNotFound(error)) throw error;
      await resource.create(entry.object);
    }
  };
  const writeStubbornly = async (entry: EventWrite): Promise<'written' | 'dropped'> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await write(entry);
        return 'written';
      } catch (error) {
        const isHopeless = !(error instanceof KubeError) || error.retry !== 'transient' || attempt >= maxAttempts;
        if (isHopeless) {
          logger.warn('an event was not recorded', { error, key: entry.key });
          return 'dropped';
        }
        await sleep(options.clock, 500 * 2 ** attempt * (0.5 + options.random()));
      }
    }
  };
  const release = (): void => {
    for (const each of patient) {
      if (book.waiting >= each.than) continue;
      patient.delete(each);
      each.go();
    }
  };
  const work = async (): Promise<void> => {
    for (let entry = book.next(); entry !== undefined; entry = book.next()) {
      outcomes.add(1, { outcome: await writeStubbornly(entry) });
      entry.end();
      release();
    }
  };
  const employ = (): void => {
    if (writers.size >= (options.concurrency ?? 1)) return;
    // Begun in a later turn, so that nothing of it can throw into the caller.
    const writer = Promise.resolve()
      .then(work)
      .finally(() => void writers.delete(writer));
    writers.add(writer);
  };

  return {
    record(subject, draft) {
      try {
        const outcome = book.enter(subject, draft);
        if (outcome !== 'queued') outcomes.add(1, { outcome });
        employ();
      } catch (error) {
        outcomes.add(1, { outcome: 'dropped' });
        logger.error('an event could not be recorded', { error, reason: draft?.reason });
      }
    },
    flush: async () => {
      while (writers.size > 0) await Promise.all(writers);
    },
    whenFewerWait(than) {
      if (book.waiting < than) return Promise.resolve();
      return new Promise((go) => patient.add({ than, go }));
    },
  };
}
