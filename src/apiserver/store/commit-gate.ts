import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { rowWidth, type ToWriter } from './commit-protocol.ts';

/** For tests: keeps commits from the writer thread and lets them through one at a time. */
export class CommitGate {
  readonly #held: { writes: number; send: () => void }[] = [];

  /** Holds the commits of every store until the test ends. */
  constructor(t: TestContext) {
    const post = Worker.prototype.postMessage;
    const held = this.#held;
    t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: ToWriter) {
      const send = () => post.call(this, message);
      if (message.do === 'commit') held.push({ writes: message.rows.length / rowWidth, send });
      else {
        // A store that is being closed commits what it has first.
        if (message.do === 'close') for (const commit of held.splice(0)) commit.send();
        send();
      }
    });
  }

  /** Parts the writes so far from those to come: they will be in different commits. */
  async part(): Promise<void> {
    await turn();
  }

  /** Lets the oldest commit through and says how many writes are in it. */
  async pass(): Promise<number> {
    await turn();
    const commit = this.#held.shift();
    commit?.send();
    return commit?.writes ?? 0;
  }

  /** Lets through whatever was written so far. */
  async passAll(): Promise<void> {
    await turn();
    for (const commit of this.#held.splice(0)) commit.send();
  }
}
