import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { BackoffOptions } from '../backoff.ts';
import type { KubeClient } from '../client/client.ts';
import type { Selection } from '../client/resource-client.ts';
import type { Clock, Random, Timer } from '../clock.ts';
import { kubeError } from '../errors.ts';
import { type KubeObject, qualifiedResource, type ResourceRef } from '../object.ts';
import { Follower } from './follower.ts';
import { createInformerMetrics } from './informer-metrics.ts';
import { type ChangeHandler, createObjectCache, type Indexer } from './object-cache.ts';

/** What an informer keeps a copy of, and how it behaves when the server does not. */
export interface InformerOptions<T extends KubeObject> extends Selection {
  readonly client: KubeClient;
  readonly resource: ResourceRef;
  readonly clock: Clock;
  readonly random: Random;
  readonly indexers?: Readonly<Record<string, Indexer<T>>>;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Makes objects smaller before they are kept; drops `metadata.managedFields` unless given. */
  readonly transform?: (object: T) => T;
  readonly pageSize?: number;
  readonly backoff?: BackoffOptions;
  /** A watch is asked to end after about this long; 240 s unless given. */
  readonly watchSeconds?: number;
  /** A watch of a server known to send bookmarks is given up after so much silence; 120 s unless given. */
  readonly silenceMs?: number;
  /** Every handler sees every object again this often; never unless given. */
  readonly resyncMs?: number | undefined;
}

/** A copy of a set of objects that follows the server. Objects are shared and must not be changed. */
export interface Informer<T extends KubeObject> {
  readonly resource: ResourceRef;
  start(): void;
  /** Ends the watch; what was seen stays readable. */
  stop(): Promise<void>;
  get(key: string): T | undefined;
  list(): T[];
  keys(): string[];
  byIndex(index: string, value: string): T[];
  /** True once the first listing is complete. */
  hasSynced(): boolean;
  /** Resolves once synced; rejects when the informer stops or the signal aborts before. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Calls back for every object held now and for every change to come; returns how to leave. */
  onChange(handler: ChangeHandler<T>): () => void;
  /** Milliseconds since the server was last heard of: a listing, an event or a bookmark. */
  silentForMs(): number;
}

/**
 * An informer. One loop owns everything: it lists, watches, notices silence, waits and starts over; nothing else ever
 * restarts a stream, so two can never run and none can be forgotten.
 */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const name = qualifiedResource(options.resource);
  const labels = { resource: name, namespace: options.namespace ?? '' };
  const logger = (options.logger ?? silentLogger).child({ informer: name, namespace: options.namespace });
  const metrics = createInformerMetrics(options.metrics ?? noMetrics, labels);
  const handlers = new Set<ChangeHandler<T>>();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => {});
  let isSynced = false;

  const call = (handler: ChangeHandler<T>, ...args: Parameters<ChangeHandler<T>>): void => {
    try {
      handler(...args);
    } catch (error) {
      metrics.handlerErrors.add(1, labels);
      logger.error('a change handler threw', { key: args[0], error });
    }
  };
  const cache = createObjectCache<T>(options.indexers ?? {}, (key, change) => {
    for (const handler of handlers) call(handler, key, change);
  });
  const onSynced = (): void => {
    isSynced = true;
    synced.resolve();
  };
  const follower = new Follower<T>(options, { cache, metrics, logger, stopped: stopping.signal, onSynced });
  const resync = (everyMs: number): void => {
    for (const key of isSynced ? cache.keys() : []) {
      const object = cache.get(key);
      if (object === undefined) continue;
      for (const handler of handlers) call(handler, key, { previous: object, current: object });
    }
    scheduleResync(everyMs);
  };
  let resyncTimer: Timer | undefined;
  const scheduleResync = (everyMs: number): void => {
    resyncTimer = options.clock.after(everyMs, () => resync(everyMs));
  };

  return {
    resource: options.resource,
    start() {
      if (running !== undefined) return;
      running = follower.run();
      if (options.resyncMs !== undefined) scheduleResync(options.resyncMs);
    },
    async stop() {
      stopping.abort();
      resyncTimer?.cancel();
      synced.reject(kubeError('Aborted', `the informer of ${name} was stopped before it had synced`));
      await running;
    },
    get: cache.get,
    list: cache.list,
    keys: cache.keys,
    byIndex: cache.byIndex,
    hasSynced: () => isSynced,
    whenSynced: (signal) => raceAbort(synced.promise, signal, name),
    onChange(handler) {
      for (const key of cache.keys()) call(handler, key, { previous: undefined, current: cache.get(key) });
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    silentForMs: () => follower.silentForMs(),
  };
}

function raceAbort(promise: Promise<void>, signal: AbortSignal | undefined, name: string): Promise<void> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(kubeError('Aborted', `the informer of ${name} has not synced yet`));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
