import { messageOf, StoreError } from '../errors.ts';

/** How commits reach the disk, and whom to tell when they cannot. */
export interface CommitLogOptions {
  readonly where: string;
  /** Makes everything committed so far survive a power cut; absent where nothing has to. */
  readonly sync: (() => Promise<void>) | undefined;
  readonly onFault: ((fault: StoreError) => void) | undefined;
}

interface Waiter {
  readonly commit: number;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Knows which commits are on disk. SQLite only appends commits to its log here (synchronous=NORMAL); the log is synced
 * on another thread, so that a slow disk never stops the event loop, and one sync serves all commits before it. Nobody
 * hears of a commit, neither who made it nor who reads it, until it is on disk: to the outside this is
 * synchronous=FULL. The log is read from its start up to the first damage, so no commit survives without those before.
 */
export class CommitLog {
  readonly #options: CommitLogOptions;
  #waiters: Waiter[] = [];
  #committed = 0;
  #synced = 0;
  #syncs = 0;
  #isSyncing = false;
  #fault: StoreError | undefined;

  constructor(options: CommitLogOptions) {
    this.#options = options;
  }

  /** The number of the newest commit. */
  get committed(): number {
    return this.#committed;
  }

  /** How often the disk was asked. */
  get syncs(): number {
    return this.#syncs;
  }

  /** Why nothing can be stored any more, when that is so. */
  get fault(): StoreError | undefined {
    return this.#fault;
  }

  /** There is one more commit. */
  add(): void {
    this.#committed += 1;
    if (this.#options.sync === undefined) this.#synced = this.#committed;
    else if (!this.#isSyncing) void this.#sync(this.#options.sync);
  }

  /** Settles once a commit and all before it are on disk, or will never be known to be. */
  reached(commit: number): Promise<void> | undefined {
    if (commit <= this.#synced) return undefined;
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => this.#waiters.push({ commit, resolve, reject }));
  }

  async #sync(sync: () => Promise<void>): Promise<void> {
    this.#isSyncing = true;
    try {
      while (this.#synced < this.#committed) {
        const upTo = this.#committed;
        await sync();
        this.#syncs += 1;
        this.#settle(upTo);
      }
    } catch (cause) {
      this.#fail(cause);
    }
    this.#isSyncing = false;
  }

  #settle(upTo: number): void {
    this.#synced = upTo;
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.commit > upTo);
    for (const waiter of waiting) if (waiter.commit <= upTo) waiter.resolve();
  }

  /** After a failed sync the kernel may have dropped what it could not write, so another try would prove nothing. */
  #fail(cause: unknown): void {
    const fields = { where: this.#options.where, detail: messageOf(cause) };
    this.#fault = new StoreError('faulted', fields, { cause });
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new StoreError('outcomeUnknown', fields, { cause }));
    this.#options.onFault?.(this.#fault);
  }
}
