import { type DiskReserve, reserveBeside } from '../../kube/index.ts';
import { type FromWriter, rowWidth, type ToWriter, type WriterOptions } from './commit-protocol.ts';
import { isFull, messageOf, StoreError } from './errors.ts';
import { RevisionWriter } from './revision-writer.ts';

type Commit = Extract<ToWriter, { do: 'commit' }>;

/** Where the loop gets its orders from and whom it answers. */
export interface CommitPort {
  /** A message that is waiting already. */
  receive(): ToWriter | undefined;
  say(message: FromWriter): void;
  close(): void;
}

/** What the writer thread does: commits whatever is queued in one transaction, and tidies up between commits. */
export class CommitLoop {
  readonly #port: CommitPort;
  readonly #writer: RevisionWriter;
  readonly #reserve: DiskReserve;
  readonly #commits: Commit[] = [];
  readonly #compactions: number[] = [];
  #failedEpoch = 0;
  #isDiskFull = false;
  #isSweeping = true;
  #isClosing = false;

  constructor(port: CommitPort, options: WriterOptions) {
    this.#port = port;
    this.#writer = new RevisionWriter(options);
    this.#reserve = reserveBeside(options.file, options.reserveBytes);
    this.#checkRoom();
  }

  /** Does everything there is to do, beginning with the message that woke it. */
  run(first?: ToWriter): void {
    if (first !== undefined) this.#accept(first);
    do {
      // Everything that arrived during the last commit shares the next one.
      for (let next = this.#port.receive(); next !== undefined; next = this.#port.receive()) this.#accept(next);
    } while (this.#work());
  }

  /** Does the most urgent thing there is; false when there is nothing left to do. */
  #work(): boolean {
    if (this.#commits.length > 0) this.#commit();
    else if (this.#isClosing) return this.#close();
    else if (this.#writer.isCheckpointDue()) this.#checkpoint();
    else if (this.#isSweeping) this.#sweep();
    else return false;
    return true;
  }

  #accept(message: ToWriter): void {
    if (message.do === 'commit') this.#commits.push(message);
    else if (message.do === 'close') this.#isClosing = true;
    else if (message.do === 'check-room') this.#checkRoom();
    else this.#compact(message.id, message.revision);
  }

  #commit(): void {
    // After a failure the store takes back every write that was on its way and starts a new epoch: what it
    // sent before it heard of the failure builds on versions that do not exist.
    const batches = this.#commits.splice(0).filter((batch) => batch.epoch > this.#failedEpoch);
    const last = batches.at(-1);
    if (last === undefined) return;
    try {
      this.#withReserve(() => this.#writer.commit(batches.map((batch) => batch.rows)));
    } catch (error) {
      this.#assertNothingWritten(batches[0]?.rows[0] as number, error);
      this.#failedEpoch = last.epoch;
      this.#port.say({ did: 'fail', message: messageOf(error) });
      return;
    }
    this.#port.say({ did: 'commit', revision: last.rows.at(-rowWidth) as number });
  }

  /** A failed commit of which something is visible would let memory and disk disagree: better to stop the thread. */
  #assertNothingWritten(first: number, cause: unknown): void {
    if (this.#writer.newest() >= first)
      throw new StoreError('writer-lost', 'a failed commit is partly in the database', { cause });
  }

  /** What finds the disk full is done once more with the room of the reserve. */
  #withReserve(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!isFull(error)) throw error;
      try {
        if (!this.#reserve.giveUp()) throw error;
        step();
      } finally {
        this.#checkRoom();
      }
    }
  }

  #checkRoom(): void {
    const isDiskFull = !this.#reserve.take();
    if (isDiskFull === this.#isDiskFull) return;
    this.#isDiskFull = isDiskFull;
    this.#port.say({ did: 'check-room', isFull: isDiskFull });
  }

  /** One that fails leaves everything in the log, where it is safe; it is tried again when more was written. */
  #checkpoint(): void {
    try {
      this.#withReserve(() => this.#writer.checkpoint());
    } catch (error) {
      this.#port.say({ did: 'fault', message: `the log could not be moved into the database: ${messageOf(error)}` });
    }
  }

  #compact(id: number, revision: number): void {
    this.#compactions.push(id);
    this.#tidy(() => this.#writer.compact(revision));
    this.#isSweeping = this.#compactions.length > 0;
  }

  #sweep(): void {
    this.#tidy(() => {
      this.#isSweeping = this.#writer.sweep();
    });
    if (!this.#isSweeping)
      for (const id of this.#compactions.splice(0)) this.#port.say({ did: 'compact', id, error: undefined });
  }

  /** A compaction that fails (a full disk) is given up and reported; the next one goes on where it stopped. */
  #tidy(step: () => void): void {
    try {
      this.#withReserve(step);
    } catch (error) {
      this.#isSweeping = false;
      for (const id of this.#compactions.splice(0)) this.#port.say({ did: 'compact', id, error: messageOf(error) });
    }
  }

  #close(): false {
    this.#isClosing = false;
    for (const id of this.#compactions.splice(0)) this.#port.say({ did: 'compact', id, error: 'the store was closed' });
    this.#writer.close();
    this.#port.say({ did: 'close' });
    this.#port.close();
    return false;
  }
}
