import { Worker } from 'node:worker_threads';
import { FairQueue, type Seat } from '../overload/fair-queue.ts';
import type { HeavyLimits } from '../overload/limits.ts';
import { Overloaded } from '../overload/overloaded.ts';
import { TurnBudget } from '../overload/turn-budget.ts';
import type { TextResult, TextTask } from './text-task.ts';

/** What a task ended with: its result, or that its thread took too long, or all the memory that it may have. */
export type TaskOutcome = TextResult | { readonly kind: 'too-much-work' };

/**
 * A few threads for work on texts, shared fairly among clients. They start when they are needed, end when they are
 * idle, and one that works for too long is ended with its task.
 */
export class TextThreads {
  readonly #limits: HeavyLimits;
  readonly #queue: FairQueue;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  constructor(limits: HeavyLimits) {
    this.#limits = limits;
    const turns = new TurnBudget(Number.POSITIVE_INFINITY, () => 0);
    this.#queue = new FairQueue({ ...limits, seats: limits.threads, seatsPerClient: limits.threadsPerClient }, turns);
  }

  /** Does a task when it is the client's turn; `begin` is called then, and may throw. Throws 429 when too many wait. */
  async run(client: string, task: TextTask, begin: () => void = () => undefined): Promise<TaskOutcome> {
    const seat = await this.#seat(client);
    try {
      begin();
      return await this.#runOn(this.#idle.pop() ?? this.#start(), task);
    } finally {
      seat.release();
    }
  }

  /** Ends all threads, and the tasks that they have. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  async #seat(client: string): Promise<Seat> {
    const entered = this.#queue.enter(client);
    if (entered === 'queue-full') throw new Overloaded('heavy-work');
    if ('release' in entered) return entered;
    const seat = await entered.seat;
    if (typeof seat === 'string') throw new Overloaded('heavy-work');
    return seat;
  }

  #start(): Worker {
    const { mostValues, threadMebibytes } = this.#limits;
    const thread = new Worker(new URL('./text-thread.ts', import.meta.url), {
      workerData: { mostValues },
      resourceLimits: { maxOldGenerationSizeMb: threadMebibytes, maxYoungGenerationSizeMb: 16 },
    });
    thread.unref();
    thread.once('exit', () => this.#all.delete(thread));
    this.#all.add(thread);
    return thread;
  }

  #runOn(thread: Worker, task: TextTask): Promise<TaskOutcome> {
    return new Promise((resolve) => {
      const end = (outcome: TaskOutcome): void => {
        clearTimeout(timer);
        thread.removeAllListeners('message');
        thread.removeAllListeners('error');
        resolve(outcome);
      };
      const giveUp = (): void => {
        // Its death throes are nobody's business any more.
        end({ kind: 'too-much-work' });
        thread.on('error', () => undefined);
        void thread.terminate();
      };
      const timer = setTimeout(giveUp, this.#limits.taskMs);
      thread.once('error', giveUp);
      thread.once('message', (result: TextResult) => {
        end(result);
        this.#rest(thread);
      });
      thread.once('exit', () => end({ kind: 'too-much-work' }));
      thread.postMessage(task);
    });
  }

  #rest(thread: Worker): void {
    thread.removeAllListeners('exit');
    thread.once('exit', () => this.#all.delete(thread));
    this.#idle.push(thread);
    const timer = setTimeout(() => this.#endIdle(thread), this.#limits.idleMs);
    timer.unref();
    thread.once('exit', () => clearTimeout(timer));
  }

  /** Unless it has work again: it then rests again later. */
  #endIdle(thread: Worker): void {
    const at = this.#idle.indexOf(thread);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    void thread.terminate();
  }
}
