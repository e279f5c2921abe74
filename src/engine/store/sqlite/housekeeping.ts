import { Worker } from 'node:worker_threads';
import { StoreError } from '../errors.ts';

/** What the thread is asked to do. */
export type HousekeepingOrder =
  | { readonly do: 'checkpoint' }
  | { readonly do: 'copy'; readonly target: string }
  | { readonly do: 'close' };

/** What the thread says when it is done, and why it could not be done. */
export interface HousekeepingReport {
  readonly problem?: string;
}

/** About how many pages are written to the log before they are moved into the database. */
const checkpointPages = 1_000;

/** About how many may be written meanwhile; past that, writes wait. */
const maxPagesMeanwhile = 4_000;

/**
 * Does on a thread of its own, started when first needed, what would stop the event loop for long: moving pages from
 * the log into the database, and copying the database.
 *
 * The log starts over only when all of it was moved and nobody reads from it, which never happens while writes go on.
 * So after a move that ran beside writes, `gap` holds the next write until the little that is left was moved too, and
 * it holds writes that outrun a move by far.
 */
export class Housekeeping {
  readonly #path: string;
  readonly #fallBack: () => void;
  #worker: Worker | undefined;
  #answer: ((report: HousekeepingReport) => void) | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #pages = 0;
  #isMoving = false;
  #isGapDue = false;
  #isLost = false;
  #isClosing = false;

  /** `fallBack` is called when the thread ended: from then on the writer has to move pages itself. */
  constructor(path: string, fallBack: () => void) {
    this.#path = path;
    this.#fallBack = fallBack;
  }

  /** So many pages, about, were written to the log. */
  wrote(pages: number): void {
    this.#pages += pages;
    if (this.#pages < checkpointPages || this.#isMoving || this.#isLost) return;
    this.#pages = 0;
    this.#isMoving = true;
    void this.#ask({ do: 'checkpoint' }).then(() => {
      this.#isMoving = false;
      this.#isGapDue = this.#pages > 0 && !this.#isLost;
    });
  }

  /** What the next write has to wait for, if anything. */
  gap(): Promise<unknown> | undefined {
    if (this.#isMoving && this.#pages > maxPagesMeanwhile) return this.#queue;
    if (!this.#isGapDue) return undefined;
    this.#isGapDue = false;
    this.#pages = 0;
    return this.#ask({ do: 'checkpoint' });
  }

  async copy(target: string): Promise<void> {
    const { problem } = await this.#ask({ do: 'copy', target });
    if (problem !== undefined) throw new StoreError('unusable', { where: target, detail: problem });
  }

  async close(): Promise<void> {
    await this.#queue;
    this.#isClosing = true;
    if (this.#worker !== undefined) await this.#ask({ do: 'close' });
  }

  #ask(order: HousekeepingOrder): Promise<HousekeepingReport> {
    const report = this.#queue.then(() => this.#send(order));
    this.#queue = report;
    return report;
  }

  #send(order: HousekeepingOrder): Promise<HousekeepingReport> {
    if (this.#isLost) return Promise.resolve({ problem: 'the thread for it has ended' });
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve) => {
      this.#answer = resolve;
      // Somebody waits: the process must not end before the answer.
      worker.ref();
      worker.postMessage(order);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./housekeeping-thread.ts', import.meta.url), {
      workerData: this.#path,
      name: 'engine store',
    });
    worker.on('message', (report: HousekeepingReport) => {
      worker.unref();
      this.#answer?.(report);
    });
    worker.on('error', (error) => this.#lose(error.message));
    worker.on('exit', () => this.#lose('the thread for it has ended'));
    return worker;
  }

  #lose(problem: string): void {
    if (!this.#isLost && !this.#isClosing) this.#fallBack();
    this.#isLost = true;
    this.#answer?.({ problem });
  }
}
