import type { WorkQueue } from '../../kube/index.ts';

/**
 * Passes keys on to a queue after the running commit has told everybody of its changes: whoever works on a key must
 * see all of them, and must let the event loop turn in between.
 */
export class LaterQueue {
  readonly #queue: WorkQueue;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Immediate | undefined;

  constructor(queue: WorkQueue) {
    this.#queue = queue;
  }

  add(key: string): void {
    this.#keys.add(key);
    this.#timer ??= setImmediate(() => this.#flush());
  }

  /** True while nothing waits and nothing is worked on. */
  get isIdle(): boolean {
    return this.#keys.size === 0 && this.#queue.depth === 0 && this.#queue.running === 0;
  }

  start(): void {
    this.#queue.start();
  }

  /** Takes no more keys and resolves when running work has ended. */
  async drain(): Promise<void> {
    clearImmediate(this.#timer);
    this.#keys.clear();
    await this.#queue.drain();
  }

  #flush(): void {
    this.#timer = undefined;
    const keys = [...this.#keys];
    this.#keys.clear();
    for (const key of keys) this.#queue.add(key);
  }
}
