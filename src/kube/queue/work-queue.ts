import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { type BackoffOptions, backoffDelay } from '../backoff.ts';
import type { Clock, Random, Timer } from '../clock.ts';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.ts';

/** How work on a key ended. */
export type WorkOutcome =
  /** Done; the failures of the key are forgotten. */
  | { readonly kind: 'done' }
  /** Done for now, to be looked at again later; the failures of the key are forgotten. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Failed; to be tried again after a growing delay, or the given least one. */
  | { readonly kind: 'retry'; readonly leastMs?: number | undefined };

/** What a queue does with its keys. */
export interface WorkQueueOptions {
  readonly name: string;
  /** Works on a key. What it throws counts as a retry. */
  readonly work: (key: string, signal: AbortSignal) => Promise<WorkOutcome>;
  readonly clock: Clock;
  readonly random: Random;
  /** How many keys are worked on at once; 4 unless given. */
  readonly concurrency?: number;
  /** 50 ms to 5 minutes unless given. */
  readonly backoff?: BackoffOptions;
  readonly metrics?: Metrics;
  readonly logger?: Logger;
}

/** Keys to work on, each at most once in the queue and never worked on twice at once. */
export interface WorkQueue {
  /** Begins to work; keys added before wait. */
  start(): void;
  /** Asks for work on a key. Work that runs already does not count: the key is worked on again after it. */
  add(key: string): void;
  /** The same after a delay; of several delays the earliest counts. Work that begins before takes the delay away. */
  addAfter(key: string, delayMs: number): void;
  /** Forgets the failures of a key and a delay that waits. */
  forget(key: string): void;
  failures(key: string): number;
  /** Keys that wait for a worker. */
  readonly depth: number;
  /** Keys that are worked on. */
  readonly running: number;
  /** Takes no more keys and resolves when running work has ended; work still running at the deadline is told to abort. */
  drain(options?: { readonly deadlineMs?: number }): Promise<void>;
}

/** Makes a queue; it works once started. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedWorkQueue(options);
}

interface Entry {
  /** When the key began to wait for a worker; undefined when it does not. */
  queuedAt: number | undefined;
  isRunning: boolean;
  failures: number;
  delay: { readonly due: number; readonly timer: Timer } | undefined;
}

class KeyedWorkQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #metrics: QueueMetrics;
  readonly #logger: Logger;
  readonly #entries = new Map<string, Entry>();
  /** Keys ready to be worked on, oldest first. A key that is running waits outside until its work has ended. */
  readonly #ready = new Set<string>();
  readonly #aborting = new AbortController();
  #running = 0;
  #isStarted = false;
  #isDraining = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#metrics = createQueueMetrics(options.metrics ?? noMetrics, options.name, options.concurrency ?? 4);
    this.#logger = (options.logger ?? silentLogger).child({ queue: options.name });
  }

  get depth(): number {
    return this.#ready.size;
  }

  get running(): number {
    return this.#running;
  }

  start(): void {
    this.#isStarted = true;
    this.#pump();
  }

  add(key: string): void {
    if (this.#isDraining) return;
    const entry = this.#entry(key);
    entry.queuedAt ??= this.#options.clock.monotonic();
    this.#metrics.added();
    if (entry.isRunning) return;
    this.#ready.add(key);
    this.#pump();
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#isDraining) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const entry = this.#entry(key);
    const due = this.#options.clock.monotonic() + delayMs;
    if (entry.delay !== undefined && entry.delay.due <= due) return;
    entry.delay?.timer.cancel();
    const timer = this.#options.clock.after(delayMs, () => {
      entry.delay = undefined;
      this.add(key);
    });
    entry.delay = { due, timer };
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.failures = 0;
    entry.delay?.timer.cancel();
    entry.delay = undefined;
    this.#tidy(key, entry);
  }

  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0;
  }

  async drain({ deadlineMs }: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.#isDraining = true;
    this.#ready.clear();
    for (const entry of this.#entries.values()) entry.delay?.timer.cancel();
    const deadline =
      deadlineMs === undefined ? undefined : this.#options.clock.after(deadlineMs, () => this.#aborting.abort());
    if (this.#running > 0) await this.#idle.promise;
    deadline?.cancel();
    this.#entries.clear();
    this.#metrics.depth(0);
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { queuedAt: undefined, isRunning: false, failures: 0, delay: undefined };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  /** Keys with nothing to remember are not remembered. */
  #tidy(key: string, entry: Entry): void {
    const isBlank =
      entry.queuedAt === undefined && !entry.isRunning && entry.failures === 0 && entry.delay === undefined;
    if (isBlank) this.#entries.delete(key);
  }

  #pump(): void {
    const limit = this.#options.concurrency ?? 4;
    while (this.#isStarted && !this.#isDraining && this.#running < limit) {
      const [key] = this.#ready;
      if (key === undefined) break;
      this.#ready.delete(key);
      void this.#run(key, this.#entry(key));
    }
    this.#metrics.depth(this.#ready.size);
  }

  async #run(key: string, entry: Entry): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    this.#metrics.waited((startedAt - (entry.queuedAt ?? startedAt)) / 1000);
    entry.queuedAt = undefined;
    entry.isRunning = true;
    // What runs now decides anew when to look again.
    entry.delay?.timer.cancel();
    entry.delay = undefined;
    this.#running++;
    this.#metrics.running(this.#running);
    const outcome = await this.#work(key);
    this.#running--;
    entry.isRunning = false;
    this.#metrics.worked((clock.monotonic() - startedAt) / 1000, outcome.kind);
    this.#metrics.running(this.#running);
    this.#settle(key, entry, outcome);
    if (this.#isDraining && this.#running === 0) this.#idle.resolve();
    this.#pump();
  }

  async #work(key: string): Promise<WorkOutcome> {
    try {
      return await this.#options.work(key, this.#aborting.signal);
    } catch (error) {
      this.#metrics.threw();
      this.#logger.error('work on a key threw', { key, error });
      return { kind: 'retry' };
    }
  }

  #settle(key: string, entry: Entry, outcome: WorkOutcome): void {
    entry.failures = outcome.kind === 'retry' ? entry.failures + 1 : 0;
    if (outcome.kind === 'again') this.addAfter(key, outcome.afterMs);
    if (outcome.kind === 'retry') {
      const backoff = this.#options.backoff ?? { baseMs: 50, maxMs: 300_000 };
      this.addAfter(
        key,
        Math.max(outcome.leastMs ?? 0, backoffDelay(backoff, entry.failures, this.#options.random), 1),
      );
    }
    if (entry.queuedAt !== undefined && !this.#isDraining) this.#ready.add(key);
    this.#tidy(key, entry);
  }
}
