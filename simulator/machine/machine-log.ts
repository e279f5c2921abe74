import type { SimClock } from '../time/sim-clock.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

const defaultLimit = 20_000;

/** A log in memory that drops its older half when it is full. */
class MemoryLog implements EventLog {
  readonly #clock: SimClock;
  readonly #limit: number;
  #events: LoggedEvent[] = [];
  #dropped = 0;

  constructor(clock: SimClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  get count(): number {
    return this.#dropped + this.#events.length;
  }

  add(event: string, detail = ''): void {
    if (this.#events.length >= this.#limit) {
      const dropped = Math.ceil(this.#limit / 2);
      this.#events = this.#events.slice(dropped);
      this.#dropped += dropped;
    }
    this.#events.push({ atMs: this.#clock.elapsedMs(), event, detail });
  }

  text(): string {
    const lines = this.#events.map(({ atMs, event, detail }) => `${atMs} ${event}${detail === '' ? '' : ` ${detail}`}`);
    if (this.#dropped > 0) lines.unshift(`(${this.#dropped} older events were dropped)`);
    return lines.map((line) => `${line}\n`).join('');
  }
}

/** Makes the log of one machine; at most `limit` events are kept (20,000 unless given). */
export function createEventLog(clock: SimClock, limit = defaultLimit): EventLog {
  return new MemoryLog(clock, limit);
}
