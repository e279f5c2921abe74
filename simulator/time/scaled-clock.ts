import { sleep, type Timer } from '../../src/kube/index.ts';
import type { SimClock } from './sim-clock.ts';
import { TimerHeap } from './timer-heap.ts';

const longestTimeoutMs = 2 ** 31 - 1;

/** How a scaled clock runs. */
export interface ScaledClockOptions {
  /** Simulated milliseconds that pass in a real one. */
  readonly speed: number;
  /** Wall time at the start; now unless given. */
  readonly startEpochMs?: number;
  /** Real milliseconds from an arbitrary start, for tests; the machine's own unless given. */
  readonly realNow?: () => number;
  /**
   * Most real milliseconds that count at once, for worlds in one process: while it stands still, so does its time, and
   * nobody in it is late. All count unless given.
   */
  readonly mostAtOnceMs?: number;
}

/** A clock whose time is real time multiplied, with one heap and one real timer for the whole world. */
class ScaledClock implements SimClock {
  readonly #heap = new TimerHeap();
  readonly #speed: number;
  readonly #startEpochMs: number;
  readonly #realNow: () => number;
  readonly #mostAtOnceMs: number;
  readonly #looking: ReturnType<typeof setInterval> | undefined;
  readonly #realStart: number;
  #lookedAt: number;
  #lostMs = 0;
  #lastMs = 0;
  #isFiring = false;
  #isClosed = false;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #timeoutAt = Number.POSITIVE_INFINITY;

  constructor(options: ScaledClockOptions) {
    this.#speed = options.speed;
    this.#startEpochMs = options.startEpochMs ?? Date.now();
    this.#realNow = options.realNow ?? (() => performance.now());
    this.#realStart = this.#realNow();
    this.#lookedAt = this.#realStart;
    this.#mostAtOnceMs = options.mostAtOnceMs ?? Number.POSITIVE_INFINITY;
    if (options.mostAtOnceMs !== undefined) {
      // Without it, time in which nobody asks for it would be taken for time in which nothing ran.
      this.#looking = setInterval(() => this.#reached(), options.mostAtOnceMs / 4).unref();
    }
  }

  elapsedMs(): number {
    // While timers fire, time is what each was due at, so that chains of them do not drift by the lateness of the process.
    if (!this.#isFiring) this.#lastMs = Math.max(this.#lastMs, this.#reached());
    return Math.floor(this.#lastMs);
  }

  now(): number {
    return this.#startEpochMs + this.elapsedMs();
  }

  monotonic(): number {
    return this.elapsedMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = this.#heap.add(this.elapsedMs() + Math.max(0, delayMs), '', callback);
    if (!this.#isFiring) this.#arm();
    return { cancel: () => void this.#heap.cancel(timer) };
  }

  hold(_party: string, delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleep(this, delayMs, signal);
  }

  standStill<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  close(): void {
    this.#isClosed = true;
    this.#heap.clear();
    clearTimeout(this.#timeout);
    clearInterval(this.#looking);
  }

  #reached(): number {
    const now = this.#realNow();
    this.#lostMs += Math.max(0, now - this.#lookedAt - this.#mostAtOnceMs);
    this.#lookedAt = now;
    return (now - this.#realStart - this.#lostMs) * this.#speed;
  }

  #arm(): void {
    const next = this.#heap.peek();
    if (next === undefined || this.#isClosed) return;
    if (this.#timeout !== undefined && this.#timeoutAt <= next.at) return;
    clearTimeout(this.#timeout);
    const realMs = Math.ceil((next.at - this.#reached()) / this.#speed);
    this.#timeoutAt = next.at;
    this.#timeout = setTimeout(() => this.#fire(), Math.min(Math.max(0, realMs), longestTimeoutMs));
  }

  #fire(): void {
    this.#timeout = undefined;
    const end = this.#reached();
    this.#isFiring = true;
    try {
      for (let next = this.#heap.peek(); next !== undefined && next.at <= end; next = this.#heap.peek()) {
        const due = this.#heap.pop();
        if (due === undefined) break;
        this.#lastMs = Math.max(this.#lastMs, due.timer.at);
        due.callback();
      }
    } finally {
      this.#isFiring = false;
      this.#arm();
    }
  }
}

/** Makes a clock on which simulated time is real time multiplied by the speed. */
export function createScaledClock(options: ScaledClockOptions): SimClock {
  if (!(options.speed > 0) || !Number.isFinite(options.speed)) {
    throw new RangeError(`the speed of a simulated clock must be a positive number, not ${options.speed}`);
  }
  return new ScaledClock(options);
}
