import type { Logger } from '../../telemetry/index.ts';
import { type BackoffOptions, backoffDelay } from '../backoff.ts';
import type { ResourceClient, Selection } from '../client/resource-client.ts';
import type { WatchEvent } from '../client/watch-stream.ts';
import { sleep } from '../clock.ts';
import { isExpired, KubeError, type KubeErrorReason, kubeError } from '../errors.ts';
import { compareResourceVersions, type KubeObject, qualifiedResource } from '../object.ts';
import type { InformerOptions } from './informer.ts';
import type { InformerLabels, InformerMetrics } from './informer-metrics.ts';
import type { ObjectCache } from './object-cache.ts';
import { startWatchdog } from './watchdog.ts';

/** A round that lived so long counts as healthy: failures before it are forgotten. */
const healthyAfterMs = 10_000;
/** After so many rounds that failed early, the version we resume from is itself under suspicion. */
const maxResumes = 3;
const defaultBackoff: BackoffOptions = { baseMs: 200, maxMs: 30_000 };
/** Without bookmarks a quiet watch says nothing until the server ends it; this is how late that end may be. */
const lateEndMs = 15_000;

/** Failures of the way to the server, or of the server as a whole: nothing is wrong with the version we resume from. */
const resumable: ReadonlySet<KubeErrorReason> = new Set<KubeErrorReason>([
  'ConnectionFailed',
  'RequestTimeout',
  'ServiceUnavailable',
  'TooManyRequests',
]);

/** What a follower fills and reports to. */
export interface FollowerParts<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly metrics: InformerMetrics;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
  readonly onSynced: () => void;
}

/** The one loop of an informer: list, watch, notice silence, wait, start over. */
export class Follower<T extends KubeObject> {
  readonly #options: InformerOptions<T>;
  readonly #parts: FollowerParts<T>;
  readonly #client: ResourceClient<T>;
  readonly #selection: Selection;
  readonly #labels: InformerLabels;
  /** Undefined: the next round begins with a listing. */
  #resourceVersion: string | undefined;
  #pageSize: number;
  /** True once any stream showed a bookmark: from then on silence is a sign of trouble. */
  #hasBookmarks = false;
  #failures = 0;
  #lastHeard: number;

  constructor(options: InformerOptions<T>, parts: FollowerParts<T>) {
    this.#options = options;
    this.#parts = parts;
    this.#client = options.client.resource<T>(options.resource);
    const { namespace, labelSelector, fieldSelector } = options;
    this.#selection = { namespace, labelSelector, fieldSelector };
    this.#labels = { resource: qualifiedResource(options.resource), namespace: namespace ?? '' };
    this.#pageSize = options.pageSize ?? 500;
    this.#lastHeard = options.clock.monotonic();
  }

  /** Milliseconds since a listing, an event or a bookmark came in. */
  silentForMs(): number {
    return this.#options.clock.monotonic() - this.#lastHeard;
  }

  /** Runs until stopped; never rejects. */
  async run(): Promise<void> {
    const { clock, random, backoff } = this.#options;
    while (!this.#parts.stopped.aborted) {
      await this.#round();
      await sleep(clock, backoffDelay(backoff ?? defaultBackoff, this.#failures, random), this.#parts.stopped);
    }
  }

  /** A listing if one is needed, then one watch until it ends. */
  async #round(): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    try {
      if (this.#resourceVersion === undefined) await this.#relist();
      await this.#watch();
    } catch (error) {
      if (this.#parts.stopped.aborted) return;
      this.#judge(error);
    }
    const isHealthy = this.#options.clock.monotonic() - startedAt >= healthyAfterMs;
    this.#failures = isHealthy ? 0 : this.#failures + 1;
  }

  /** Decides whether the next watch may resume, or whether only a listing proves that nothing was missed. */
  #judge(error: unknown): void {
    const { metrics, logger } = this.#parts;
    const canResume = error instanceof KubeError && resumable.has(error.reason) && this.#failures < maxResumes;
    if (!canResume) this.#resourceVersion = undefined;
    metrics.failures.add(1, this.#labels);
    logger[isExpired(error) ? 'debug' : 'warn'](
      canResume ? 'the watch broke; resuming' : 'the watch broke; listing again',
      {
        error: error instanceof KubeError ? `${error.reason}: ${error.message}` : error,
        failures: this.#failures,
      },
    );
  }

  async #relist(): Promise<void> {
    const { cache, metrics, stopped, onSynced } = this.#parts;
    const replacement = cache.startReplace();
    const transform = this.#options.transform ?? dropManagedFields;
    let version: string | undefined;
    try {
      for await (const page of this.#client.pages({ ...this.#selection, pageSize: this.#pageSize, signal: stopped })) {
        for (const item of page.items) replacement.put(transform(item));
        version = page.resourceVersion;
        this.#heard();
      }
    } catch (error) {
      // Pages that expired half-way would expire again on a server this busy: ask for everything at once.
      if (isExpired(error)) this.#pageSize = 0;
      throw error;
    }
    replacement.finish();
    this.#pageSize = this.#options.pageSize ?? 500;
    this.#resourceVersion = version;
    metrics.relists.add(1, this.#labels);
    metrics.objects.set(cache.size, this.#labels);
    onSynced();
  }

  async #watch(): Promise<void> {
    const { clock, random } = this.#options;
    const { metrics, cache, stopped } = this.#parts;
    const timeoutSeconds = Math.ceil((this.#options.watchSeconds ?? 240) * (1 + random() / 5));
    const ending = new AbortController();
    const end = (): void => ending.abort();
    stopped.addEventListener('abort', end, { once: true });
    let isSilent = false;
    const watchdog = startWatchdog(clock, this.#silenceLimitMs(timeoutSeconds), () => {
      isSilent = true;
      end();
    });
    try {
      for await (const event of this.#openStream(timeoutSeconds, ending.signal)) {
        this.#take(event);
        watchdog.feed(this.#silenceLimitMs(timeoutSeconds));
      }
    } catch (error) {
      if (!isSilent) throw error;
      metrics.silences.add(1, this.#labels);
      throw kubeError('MalformedAnswer', `the watch of ${this.#labels.resource} was silent for too long`, error);
    } finally {
      watchdog.stop();
      stopped.removeEventListener('abort', end);
      metrics.objects.set(cache.size, this.#labels);
    }
  }

  #openStream(timeoutSeconds: number, signal: AbortSignal) {
    const resourceVersion = this.#resourceVersion;
    return this.#client.watch({ ...this.#selection, resourceVersion, hasBookmarks: true, timeoutSeconds, signal });
  }

  #silenceLimitMs(timeoutSeconds: number): number {
    const untilEnd = timeoutSeconds * 1000 + lateEndMs;
    return this.#hasBookmarks ? Math.min(untilEnd, this.#options.silenceMs ?? 120_000) : untilEnd;
  }

  #take(event: WatchEvent<T>): void {
    const { cache, metrics } = this.#parts;
    const transform = this.#options.transform ?? dropManagedFields;
    if (event.type === 'BOOKMARK') this.#hasBookmarks = true;
    else if (event.type === 'DELETED') cache.remove(transform(event.object));
    else cache.put(transform(event.object));
    const version = event.object.metadata?.resourceVersion;
    // A repeated or late event must not take the watch back in time.
    const order = compareResourceVersions(version, this.#resourceVersion);
    if (version !== undefined && version !== '' && (order === undefined || order > 0)) this.#resourceVersion = version;
    metrics.events.add(1, { ...this.#labels, type: event.type });
    this.#heard();
  }

  #heard(): void {
    this.#lastHeard = this.#options.clock.monotonic();
    this.#parts.metrics.lastHeard.set(this.#options.clock.now() / 1000, this.#labels);
  }
}

function dropManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields !== undefined) delete object.metadata.managedFields;
  return object;
}
