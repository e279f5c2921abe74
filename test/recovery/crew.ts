import type { SeededRandom } from '../chaos/seeded-random.ts';
import { type Line, type LineProcess, startLineProcess } from './line-process.ts';
import type { WorkOrder } from './work-order.ts';

/** What a member of the crew is told and tells. */
export interface CrewOptions {
  readonly random: SeededRandom;
  /** Every line that any of them says. */
  readonly onLine: (line: Line, name: string) => void;
}

/** One place in the crew: a process that is started again whenever it was killed. */
export interface Member {
  /** Resolves with the first line `ready` of the life that goes on. */
  readonly ready: Promise<Line>;
  readonly isStopped: boolean;
  /** Leases that it works on, as far as it told. */
  readonly busy: number;
  /** Lives so far. */
  readonly lives: number;
  send(value: unknown): void;
  /** Hits it from outside: for good, or for a while. */
  strike(forMs: number | undefined): void;
  wake(): void;
  /** It is not started again from now on, and ended; at once, also where nobody can wait for it. */
  end(): Promise<void>;
}

const script = new URL('./work-process.ts', import.meta.url);
const longestRestMs = 1500;

/** Hires a process, with an order for each of its lives. */
export function hire(orderOf: (life: number) => WorkOrder, options: CrewOptions): Member {
  return new CrewMember(orderOf, options);
}

class CrewMember implements Member {
  readonly #orderOf: (life: number) => WorkOrder;
  readonly #options: CrewOptions;
  readonly #holders = new Set<string>();
  #process!: LineProcess;
  #ready = Promise.withResolvers<Line>();
  #isOver = false;
  #isStopped = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #waking: ReturnType<typeof setTimeout> | undefined;
  lives = 0;

  constructor(orderOf: (life: number) => WorkOrder, options: CrewOptions) {
    this.#orderOf = orderOf;
    this.#options = options;
    this.#start();
  }

  get ready(): Promise<Line> {
    return this.#ready.promise;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get busy(): number {
    return this.#holders.size;
  }

  send(value: unknown): void {
    if (this.#process.isRunning) this.#process.send(value);
  }

  strike(forMs: number | undefined): void {
    if (!this.#process.isRunning || this.#isStopped) return;
    if (forMs === undefined) {
      this.#process.signal('SIGKILL');
      return;
    }
    this.#process.signal('SIGSTOP');
    this.#stopFor(forMs);
  }

  wake(): void {
    clearTimeout(this.#waking);
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#process.signal('SIGCONT');
  }

  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#rest);
    clearTimeout(this.#waking);
    this.#process.signal('SIGKILL');
    await this.#process.ended;
  }

  #start(): void {
    this.lives += 1;
    const order = this.#orderOf(this.lives);
    const started = startLineProcess(script, order, (line) => this.#hear(line, order.name));
    this.#process = started;
    void started.ended.then(({ code, signal }) => this.#ended(order.name, { code, signal }));
  }

  #ended(name: string, { code, signal }: { readonly code: number | null; readonly signal: string | null }): void {
    clearTimeout(this.#waking);
    this.#isStopped = false;
    this.#holders.clear();
    if (this.#isOver) return;
    // Nobody but us ends them: what ends by itself has a bug, and would have it again.
    if (signal !== 'SIGKILL') {
      this.#options.onLine({ say: 'crashed', code, tail: this.#process.tail() }, name);
      return;
    }
    this.#ready = Promise.withResolvers<Line>();
    this.#rest = setTimeout(() => this.#start(), this.#options.random.below(longestRestMs));
  }

  #hear(line: Line, name: string): void {
    if (line.say === 'ready') this.#ready.resolve(line);
    if (line.say === 'leased') this.#holders.add(String(line.holder));
    if (line.say === 'left') this.#holders.delete(String(line.holder));
    if (line.say === 'hit' && line.blow !== 'kill') this.#stopFor(Number(line.forMs));
    this.#options.onLine(line, name);
  }

  #stopFor(ms: number): void {
    this.#isStopped = true;
    this.#waking = setTimeout(() => this.wake(), ms);
  }
}
