import { type KubeObject, keyOf, type Resource, type Where } from './kinds.ts';
import { pageOfList, type ServerEvent, watchEvents } from './list-and-watch.ts';
import { explainError, RefusedError } from './refused.ts';

/** How fresh a list is. */
export type Freshness = 'loading' | 'live' | 'stale' | 'failed';

/** A list as it is right now; a new value whenever anything in it changed. */
export interface Snapshot<Row> {
  /** In the order of namespace and name. */
  readonly items: readonly Row[];
  readonly freshness: Freshness;
  /** Why it is not fresh. */
  readonly problem: string | undefined;
  /** HTTP status of a refusal, such as 403. */
  readonly refusal: number | undefined;
  /** Changes seen so far. */
  readonly changes: number;
}

/** What a live list needs of the world. */
export interface LiveListParts<Row> {
  readonly resource: Resource;
  readonly where?: Where;
  /** What is kept of an object: thousands of whole ones would fill the memory of a browser. */
  readonly project: (object: KubeObject) => Row;
  /** Calls once, soon: in step with the screen. */
  readonly schedule: (flush: () => void) => void;
  readonly page?: typeof pageOfList;
  readonly watch?: typeof watchEvents;
  readonly delay?: (attempt: number, signal: AbortSignal) => Promise<void>;
}

/** A list that follows a resource. Changes come in one by one and go out together, once per frame. */
export class LiveList<Row> {
  readonly #parts: LiveListParts<Row>;
  readonly #listeners = new Set<() => void>();
  readonly #rows = new Map<string, Row>();
  /** By key: what to show next; undefined takes it away. Many changes of one object cost what one does. */
  readonly #pending = new Map<string, Row | undefined>();
  #snapshot: Snapshot<Row> = { items: [], freshness: 'loading', problem: undefined, refusal: undefined, changes: 0 };
  #keys: string[] = [];
  #changes = 0;
  #isScheduled = false;
  #running: AbortController | undefined;

  constructor(parts: LiveListParts<Row>) {
    this.#parts = parts;
  }

  /** For useSyncExternalStore. */
  readonly snapshot = (): Snapshot<Row> => this.#snapshot;

  /** For useSyncExternalStore; the list follows the server while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Begins to follow the server, if it does not yet. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    void this.#follow(this.#running.signal);
  }

  /** Stops; what was seen stays, and is brought up to date by the next start. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; ) {
      try {
        const version = await this.#listAll(signal);
        attempt = 0;
        await this.#watchFrom(version, signal);
      } catch (error) {
        if (signal.aborted) return;
        const refusal = error instanceof RefusedError ? error.status : undefined;
        const isRefused = refusal === 401 || refusal === 403 || refusal === 404;
        const freshness = isRefused || this.#keys.length === 0 ? 'failed' : 'stale';
        this.#show({ freshness, problem: explainError(error), refusal });
        if (refusal === 401) return;
        // Rights are given and kinds installed while somebody looks, and a server that has just started knows neither.
        attempt = isRefused ? patientAttempt : attempt + 1;
        await (this.#parts.delay ?? waitBefore)(attempt, signal);
      }
    }
  }

  /** Reads the list in parts; what came is shown before the rest is there. */
  async #listAll(signal: AbortSignal): Promise<string> {
    const { resource, where, page = pageOfList } = this.#parts;
    const seen = new Set<string>();
    for (let after: string | undefined; ; ) {
      const part = await page({ resource, where, after, signal });
      for (const item of part.items) {
        const key = keyOf(item);
        seen.add(key);
        this.#pending.set(key, this.#parts.project(item));
      }
      after = part.after;
      if (after === undefined) {
        for (const key of this.#rows.keys()) if (!seen.has(key)) this.#pending.set(key, undefined);
        this.#flush({ freshness: 'live', problem: undefined, refusal: undefined });
        return part.resourceVersion;
      }
      this.#flush({});
    }
  }

  /** Ends when the list has to be read anew: its version is too old to go on from. */
  async #watchFrom(version: string, signal: AbortSignal): Promise<void> {
    const { resource, where, watch = watchEvents } = this.#parts;
    let from = version;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const end = await watch({ resource, where, from, signal }, (event) => {
          failures = 0;
          from = event.object.metadata.resourceVersion ?? from;
          this.#take(event);
        });
        if (end === 'expired') return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RefusedError) throw error;
        failures++;
        this.#show({ freshness: 'stale', problem: explainError(error) });
        await (this.#parts.delay ?? waitBefore)(failures, signal);
      }
    }
  }

  #take({ type, object }: ServerEvent): void {
    if (this.#snapshot.freshness !== 'live') this.#show({ freshness: 'live', problem: undefined, refusal: undefined });
    if (type === 'BOOKMARK') return;
    this.#changes++;
    this.#pending.set(keyOf(object), type === 'DELETED' ? undefined : this.#parts.project(object));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.schedule(() => {
      this.#isScheduled = false;
      this.#flush({});
    });
  }

  #flush(news: Partial<Snapshot<Row>>): void {
    let isReordered = false;
    for (const [key, row] of this.#pending) {
      if (row === undefined) isReordered = this.#rows.delete(key) || isReordered;
      else {
        isReordered ||= !this.#rows.has(key);
        this.#rows.set(key, row);
      }
    }
    this.#pending.clear();
    if (isReordered) this.#keys = [...this.#rows.keys()].sort();
    const items = this.#keys.flatMap((key) => this.#rows.get(key) ?? []) as Row[];
    this.#show({ items, changes: this.#changes, ...news });
  }

  #show(news: Partial<Snapshot<Row>>): void {
    this.#snapshot = { ...this.#snapshot, ...news };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** From here on the wait grows no more. */
const patientAttempt = 5;

/** Longer each time, and not the same for every browser of a room. */
function waitBefore(attempt: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(15_000, 500 * 2 ** Math.min(attempt, patientAttempt)) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
