import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock, type Timer } from '../../src/kube/index.ts';
import type { DataCentre } from '../data-centre.ts';
import { writeSnapshotFile } from './snapshot-file.ts';
import { saveServer, snapshotHead } from './take-snapshot.ts';

const defaultEveryMs = 5_000;
/** Servers that are looked at before others have their turn in the process. */
const sliceSize = 20;
/** Servers in one write to the file. */
const pieceSize = 50;

/** What to keep, and where. */
export interface KeepStateOptions {
  readonly dataCentre: DataCentre;
  /** Its folder must exist. */
  readonly file: string;
  /** Real time between two looks; 5 seconds unless given. */
  readonly everyMs?: number;
  readonly clock?: Clock;
  /** Told when the file cannot be written; it is tried again at the next look. */
  readonly onError: (error: unknown) => void;
}

/** Writes the state of a data centre down whenever it has changed. */
export interface StateKeeper {
  /** Resolves once all that has happened until now is in the file. */
  save(): Promise<void>;
  /** Looks no more, and leaves the file as it is. */
  stop(): void;
  /** Saves for the last time. Close the data centre first, so that nothing is answered that is not saved. */
  close(): Promise<void>;
}

/** Keeps the state of a data centre in a file, for `startDataCentre({ snapshot })` of a later run. */
export function keepState(options: KeepStateOptions): StateKeeper {
  return new FileKeeper(options);
}

class FileKeeper implements StateKeeper {
  readonly #options: KeepStateOptions;
  readonly #clock: Clock;
  /** What was last made of each server, so that only those that changed are made anew. */
  readonly #servers = new Map<string, { readonly count: number; readonly text: string }>();
  #portsRevision = 0;
  #isWritten = false;
  #timer: Timer | undefined;
  #line: Promise<void> = Promise.resolve();

  constructor(options: KeepStateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#wait();
  }

  save(): Promise<void> {
    const saved = this.#line.then(() => this.#save());
    // One after the other; a failure is told to whoever asked for that save.
    this.#line = saved.catch(() => undefined);
    return saved;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async close(): Promise<void> {
    this.stop();
    // Also when nothing has happened: simulated time went on.
    this.#isWritten = false;
    await this.save();
  }

  #wait(): void {
    const timer = this.#clock.after(this.#options.everyMs ?? defaultEveryMs, () => {
      void this.save()
        .catch(this.#options.onError)
        .then(() => (this.#timer === timer ? this.#wait() : undefined));
    });
    this.#timer = timer;
  }

  async #save(): Promise<void> {
    const { dataCentre, file } = this.#options;
    const portsRevision = dataCentre.fabric.switches.reduce((sum, each) => sum + each.revision, 0);
    const hasChanged = await this.#look();
    if (!hasChanged && portsRevision === this.#portsRevision && this.#isWritten) return;
    this.#isWritten = false;
    await writeSnapshotFile(file, this.#pieces());
    this.#portsRevision = portsRevision;
    this.#isWritten = true;
  }

  /** Makes anew what changed, a slice at a time; true when something did. */
  async #look(): Promise<boolean> {
    let hasChanged = false;
    for (const [index, host] of this.#options.dataCentre.hosts.entries()) {
      if (index % sliceSize === sliceSize - 1) await setImmediate();
      const { name, log } = host.machine;
      const { count } = log;
      if (count === (this.#servers.get(name)?.count ?? 0)) continue;
      const saved = saveServer(host);
      if (saved === undefined) continue;
      this.#servers.set(name, { count, text: `${JSON.stringify(name)}:${JSON.stringify(saved)}` });
      hasChanged = true;
    }
    return hasChanged;
  }

  *#pieces(): Generator<string> {
    const head = JSON.stringify(snapshotHead(this.#options.dataCentre));
    yield `${head.slice(0, -1)},"servers":{`;
    const texts = [...this.#servers.values()].map(({ text }) => text);
    for (let at = 0; at < texts.length; at += pieceSize) {
      yield `${at === 0 ? '' : ','}${texts.slice(at, at + pieceSize).join(',')}`;
    }
    yield '}}\n';
  }
}
