import { Worker } from 'node:worker_threads';
import type { Entry } from './bucket.ts';
import { type FlatRows, type FromWriter, rowFlag, type ToWriter, type WriterOptions } from './commit-protocol.ts';
import { StoreError } from './errors.ts';
import type { Change, Stored } from './store.ts';

/** A write on its way to disk. */
export interface PendingWrite {
  readonly change: Change;
  readonly entry: Entry;
  readonly isSealed: boolean;
  readonly promise: Promise<Stored>;
  readonly resolve: (stored: Stored) => void;
  readonly reject: (error: Error) => void;
}

/** Whom the queue tells. */
export interface CommitListener {
  /** These writes, in order, are on disk. */
  committed(writes: readonly PendingWrite[]): void;
  /** None of these writes is on disk, nor will be. */
  failed(writes: readonly PendingWrite[], error: StoreError): void;
  /** The disk became full, or has room again. */
  roomChanged(): void;
  /** Something that will be tried again by itself failed. */
  faulted(message: string): void;
}

/** Counters of the queue. */
export interface CommitStats {
  readonly commits: number;
  readonly failures: number;
  readonly pending: number;
}

type Waiter = { resolve: () => void; reject: (error: Error) => void };

/**
 * The store's end of the writer thread. Writes are sent once per turn of the event loop; the thread puts all that
 * arrived while it was busy into its next transaction.
 */
export class CommitQueue {
  readonly #worker: Worker;
  readonly #listener: CommitListener;
  readonly #compactions = new Map<number, Waiter>();
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #pending: PendingWrite[] = [];
  #outbox: FlatRows = [];
  #epoch = 1;
  #nextId = 1;
  #commits = 0;
  #failures = 0;
  #lost: StoreError | undefined;
  #fullTimer: NodeJS.Timeout | undefined;
  readonly #fullDiskPollMs: number;

  constructor(options: WriterOptions, listener: CommitListener) {
    this.#listener = listener;
    this.#fullDiskPollMs = options.fullDiskPollMs;
    this.#worker = new Worker(new URL('./commit-worker.ts', import.meta.url), {
      workerData: options,
      name: 'object store',
      // Rows only pass through: left to itself, V8 lets this thread's heap grow for them and keeps it.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    this.#worker.on('message', (message: FromWriter) => this.#receive(message));
    this.#worker.on('error', (cause) => this.#lose(cause));
    this.#worker.on('exit', () => this.#lose(undefined));
  }

  get stats(): CommitStats {
    return { commits: this.#commits, failures: this.#failures, pending: this.#pending.length };
  }

  /** Why the writer thread is gone, when it is. */
  get lost(): StoreError | undefined {
    return this.#lost;
  }

  /** Whether the disk is full. */
  get isDiskFull(): boolean {
    return this.#fullTimer !== undefined;
  }

  /** Settles when the writer thread has the database open. */
  started(): Promise<void> {
    return this.#started.promise;
  }

  /** The write of this revision, while it is on its way. */
  find(revision: number): PendingWrite | undefined {
    return this.#pending.find((write) => write.change.revision === revision);
  }

  /** The newest write of this entry that is on its way. */
  lastOf(entry: Entry): PendingWrite | undefined {
    return this.#pending.findLast((write) => write.entry === entry);
  }

  push(write: PendingWrite): void {
    this.#pending.push(write);
    if (this.#outbox.length === 0) setImmediate(() => this.#flush());
    appendRow(this.#outbox, write);
  }

  compact(revision: number): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = this.#nextId++;
    const waiter = Promise.withResolvers<void>();
    this.#compactions.set(id, waiter);
    this.#send({ do: 'compact', id, revision });
    return waiter.promise;
  }

  /** Commits what is queued, then ends the thread. */
  close(): Promise<void> {
    if (this.#lost !== undefined) return Promise.resolve();
    this.#flush();
    this.#send({ do: 'close' });
    return this.#ended.promise;
  }

  #flush(): void {
    if (this.#outbox.length === 0 || this.#lost !== undefined) return;
    const rows = this.#outbox;
    this.#outbox = [];
    this.#send({ do: 'commit', epoch: this.#epoch, rows });
  }

  #send(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    if (message.did === 'commit') this.#settle(message.revision);
    else if (message.did === 'fail')
      this.#fail(
        new StoreError(
          this.isDiskFull ? 'disk-full' : 'commit-failed',
          `the write could not be stored: ${message.message}`,
        ),
      );
    else if (message.did === 'start') this.#started.resolve();
    else if (message.did === 'compact') this.#endCompaction(message.id, message.error);
    else if (message.did === 'check-room') this.#setFull(message.isFull);
    else if (message.did === 'fault') this.#listener.faulted(message.message);
    else this.#lost ??= new StoreError('closed', 'the store is closed');
  }

  #settle(revision: number): void {
    let count = 0;
    while ((this.#pending[count]?.change.revision ?? Number.POSITIVE_INFINITY) <= revision) count += 1;
    const done = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    this.#commits += 1;
    this.#listener.committed(done);
  }

  #fail(error: StoreError): void {
    this.#epoch += 1;
    this.#outbox = [];
    this.#failures += 1;
    const writes = this.#pending;
    this.#pending = [];
    this.#listener.failed(writes, error);
  }

  #setFull(isFull: boolean): void {
    clearInterval(this.#fullTimer);
    this.#fullTimer = isFull
      ? setInterval(() => this.#send({ do: 'check-room' }), this.#fullDiskPollMs).unref()
      : undefined;
    this.#listener.roomChanged();
  }

  #endCompaction(id: number, error: string | undefined): void {
    const waiter = this.#compactions.get(id);
    this.#compactions.delete(id);
    if (error === undefined) waiter?.resolve();
    else waiter?.reject(new StoreError('commit-failed', `compaction failed: ${error}`));
  }

  #lose(cause: unknown): void {
    clearInterval(this.#fullTimer);
    const wasClosed = this.#lost?.code === 'closed';
    this.#lost ??= new StoreError(
      'writer-lost',
      'the thread that writes to disk ended unexpectedly; restart the process',
      { cause },
    );
    this.#started.reject(cause instanceof Error ? cause : this.#lost);
    this.#ended.resolve();
    for (const waiter of this.#compactions.values()) waiter.reject(this.#lost);
    this.#compactions.clear();
    if (!wasClosed || this.#pending.length > 0) this.#fail(this.#lost);
  }
}

function appendRow(rows: FlatRows, { change, isSealed }: PendingWrite): void {
  const { current, previous, type } = change;
  const flags = (type === 'DELETED' ? rowFlag.deleted : 0) | (isSealed ? rowFlag.sealed : 0);
  const { bucket, namespace, name } = current;
  rows.push(
    current.revision,
    previous?.revision ?? 0,
    current.createdRevision,
    flags,
    bucket,
    namespace,
    name,
    current.uid,
    current.json,
  );
}
