import type { Clock, Timer } from '../../src/kube/index.ts';
import { TimeError } from './errors.ts';
import { type Hold, Party } from './party.ts';
import type { SimClock } from './sim-clock.ts';
import { TimerHeap } from './timer-heap.ts';

/** How a stepped clock runs. */
export interface SteppedClockOptions {
  /** Wall time at the start; the first of January 2026 unless given. */
  readonly startEpochMs?: number;
  /** Timers that may fire or be set without time going on before that counts as an endless loop. 100,000 unless given. */
  readonly instantLimit?: number;
  /** Real milliseconds without any step before the run is given up, with the names of those that keep it. A minute unless given. */
  readonly stallMs?: number;
}

/** Time that moves from one timer to the next, and only when everybody waits: a run depends on nothing but its seed. */
export interface SteppedClock extends SimClock {
  /**
   * The clock of a workload that talks to machine `name`. The workload is one strand: while it sleeps on this clock, or
   * the simulator holds its request, it does nothing else.
   */
  party(name: string): Clock;
  /** Runs a workload; time goes on whenever all that run wait. Those that wake at one instant go one after the other, by name. */
  run<T>(name: string, workload: (clock: Clock) => Promise<T>): Promise<T>;
  /** With nothing running: moves time on by hand and fires what is due on the way. */
  advance(ms: number): Promise<void>;
  /** With nothing running: goes from timer to timer until none is left; gives up past `withinMs` (a year unless given). */
  settle(withinMs?: number): Promise<void>;
  /** Timers that wait. */
  readonly pending: number;
}

const yearMs = 365 * 24 * 3600 * 1000;
const firstOf2026 = Date.UTC(2026, 0, 1);

class DiscreteClock implements SteppedClock {
  readonly #heap = new TimerHeap();
  readonly #parties = new Map<string, Party>();
  readonly #rejecters = new Set<(error: TimeError) => void>();
  readonly #startEpochMs: number;
  readonly #instantLimit: number;
  readonly #stallMs: number;
  #elapsed = 0;
  #strands = 0;
  #busy = 0;
  #still = 0;
  #stillEnded: (() => void)[] = [];
  #events = 0;
  #eventsAtInstant = 0;
  #isStepDue = false;
  #failure: TimeError | undefined;
  #watchdog: ReturnType<typeof setInterval> | undefined;

  constructor(options: SteppedClockOptions) {
    this.#startEpochMs = options.startEpochMs ?? firstOf2026;
    this.#instantLimit = options.instantLimit ?? 100_000;
    this.#stallMs = options.stallMs ?? 60_000;
  }

  get pending(): number {
    return this.#heap.size;
  }

  elapsedMs(): number {
    return this.#elapsed;
  }

  now(): number {
    return this.#startEpochMs + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = this.#heap.add(this.#due(delayMs), '', callback);
    return { cancel: () => void this.#heap.cancel(timer) };
  }

  party(name: string): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.#elapsed,
      after: (delayMs, callback, purpose) => this.#afterFor(name, { delayMs, callback, isSleep: purpose === 'sleep' }),
    };
  }

  hold(name: string, delayMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.#failure !== undefined) return Promise.resolve();
    const party = this.#partyOf(name);
    const hold: Hold = { isCounted: true };
    return new Promise((resolve) => {
      const done = (): void => {
        this.#heap.cancel(timer);
        signal?.removeEventListener('abort', done);
        this.#change(party, () => party.release(hold));
        resolve();
      };
      const timer = this.#heap.add(this.#due(delayMs), name, done);
      signal?.addEventListener('abort', done, { once: true });
      this.#change(party, () => party.hold(hold));
    });
  }

  async standStill<T>(work: Promise<T>): Promise<T> {
    this.#still++;
    try {
      return await work;
    } finally {
      this.#still--;
      // What waits for the work goes on first: its timers have to be set before time moves.
      setImmediate(() => this.#endStill());
    }
  }

  run<T>(name: string, workload: (clock: Clock) => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const party = this.#partyOf(name);
    const clock = this.party(name);
    this.#strands++;
    this.#watch();
    return new Promise<T>((resolve, reject) => {
      this.#rejecters.add(reject);
      const end = (): void => {
        this.#rejecters.delete(reject);
        this.#strands--;
        this.#change(party, () => party.strands--);
        this.#watch();
      };
      const start = (): void => {
        const work = (async () => workload(clock))();
        work.finally(end).then(resolve, reject);
      };
      // A start is a wake-up like any other, so that workloads begun together start in order of their names.
      this.#change(party, () => party.strands++);
      clock.after(0, start, 'sleep');
    });
  }

  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + Math.max(0, ms);
    await this.#fireUntil(end);
    this.#moveTo(end);
  }

  async settle(withinMs = yearMs): Promise<void> {
    const end = this.#elapsed + withinMs;
    await this.#fireUntil(end);
    if (this.#heap.peek() !== undefined) {
      throw new TimeError(
        'NeverSettles',
        `timers are still set ${withinMs} simulated ms on; something repeats for ever`,
      );
    }
  }

  close(): void {
    this.#heap.clear();
    this.#fail(new TimeError('Closed', 'the simulated clock was closed'));
  }

  async #fireUntil(end: number): Promise<void> {
    for (;;) {
      if (this.#strands > 0) {
        throw new TimeError(
          'DrivenByParties',
          `time is driven by what runs (${this.#running()}); wait for that instead`,
        );
      }
      await this.#quiet();
      if (this.#failure !== undefined) throw this.#failure;
      const next = this.#heap.peek();
      if (next === undefined || next.at > end) return;
      this.#fireNext();
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  async #quiet(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#still > 0) {
      await new Promise<void>((resolve) => this.#stillEnded.push(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #endStill(): void {
    if (this.#still > 0) return;
    for (const resume of this.#stillEnded.splice(0)) resume();
    this.#stepSoon();
  }

  #due(delayMs: number): number {
    return this.#elapsed + Math.max(0, delayMs);
  }

  #afterFor(name: string, order: { delayMs: number; callback: () => void; isSleep: boolean }): Timer {
    const party = this.#partyOf(name);
    this.#count();
    const timer = this.#heap.add(this.#due(order.delayMs), name, () => {
      this.#change(party, () => (order.isSleep ? party.wake() : party.releaseAll()));
      order.callback();
    });
    if (order.isSleep) this.#change(party, () => party.sleep());
    return {
      cancel: () => {
        if (this.#heap.cancel(timer) && order.isSleep) this.#change(party, () => party.wake());
      },
    };
  }

  #partyOf(name: string): Party {
    const known = this.#parties.get(name);
    if (known !== undefined) return known;
    const party = new Party(name);
    this.#parties.set(name, party);
    return party;
  }

  #change(party: Party, change: () => void): void {
    const wasBusy = party.isBusy;
    change();
    if (party.isBusy !== wasBusy) this.#busy += party.isBusy ? 1 : -1;
    this.#stepSoon();
  }

  #stepSoon(): void {
    if (this.#isStepDue || this.#strands === 0) return;
    this.#isStepDue = true;
    setImmediate(() => this.#step());
  }

  #step(): void {
    this.#isStepDue = false;
    if (this.#strands === 0 || this.#busy > 0 || this.#still > 0 || this.#failure !== undefined) return;
    if (!this.#fireNext()) {
      this.#fail(new TimeError('Stalled', `everybody waits and no timer is set (${this.#running()})`));
      return;
    }
    this.#stepSoon();
  }

  #fireNext(): boolean {
    const due = this.#heap.pop();
    if (due === undefined) return false;
    this.#moveTo(due.timer.at);
    this.#count();
    due.callback();
    return true;
  }

  #moveTo(at: number): void {
    if (at <= this.#elapsed) return;
    this.#elapsed = at;
    this.#eventsAtInstant = 0;
  }

  #count(): void {
    this.#events++;
    this.#eventsAtInstant++;
    if (this.#eventsAtInstant <= this.#instantLimit) return;
    this.#fail(
      new TimeError(
        'EndlessInstant',
        `${this.#instantLimit} timers at ${this.#elapsed} simulated ms and time does not go on: something waits 0 ms in a loop (${this.#running()})`,
      ),
    );
  }

  #running(): string {
    const names = [...this.#parties.values()].filter((party) => party.strands > 0).map((party) => party.name);
    const shown = names.sort().slice(0, 5).join(', ');
    return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown || 'nothing runs';
  }

  #watch(): void {
    if (this.#strands === 0) {
      clearInterval(this.#watchdog);
      this.#watchdog = undefined;
      return;
    }
    if (this.#watchdog !== undefined) return;
    let seen = -1;
    this.#watchdog = setInterval(() => {
      if (this.#events === seen) this.#fail(new TimeError('Stalled', this.#stallText()));
      seen = this.#events;
    }, this.#stallMs);
  }

  #stallText(): string {
    const busy = [...this.#parties.values()].filter((party) => party.isBusy).map((party) => party.name);
    const who = busy.length > 0 ? `busy: ${busy.sort().slice(0, 5).join(', ')}` : `${this.#still} works in real time`;
    return `time stood still for ${this.#stallMs} real ms at ${this.#elapsed} simulated ms (${who}); what waits must sleep on its party's clock`;
  }

  #fail(error: TimeError): void {
    this.#failure ??= error;
    clearInterval(this.#watchdog);
    for (const reject of [...this.#rejecters]) reject(error);
    this.#rejecters.clear();
  }
}

/** Makes a clock for runs that have to be the same each time. */
export function createSteppedClock(options: SteppedClockOptions = {}): SteppedClock {
  return new DiscreteClock(options);
}
