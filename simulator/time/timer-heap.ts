/** A timer that waits in a heap. */
export interface WaitingTimer {
  /** Simulated milliseconds since the start at which it is due. */
  readonly at: number;
  /** Whom it wakes; empty for the simulator itself, which goes first. */
  readonly party: string;
  readonly order: number;
  callback: (() => void) | undefined;
}

/** All timers of a world, soonest first; those due at one instant in order of party, then of insertion. */
export class TimerHeap {
  #timers: WaitingTimer[] = [];
  #cancelled = 0;
  #order = 0;

  /** Timers that still wait. */
  get size(): number {
    return this.#timers.length - this.#cancelled;
  }

  add(at: number, party: string, callback: () => void): WaitingTimer {
    const timer: WaitingTimer = { at, party, order: this.#order++, callback };
    this.#timers.push(timer);
    this.#rise(this.#timers.length - 1);
    return timer;
  }

  /** Takes a timer back; false when it has fired or was taken back before. */
  cancel(timer: WaitingTimer): boolean {
    if (timer.callback === undefined) return false;
    timer.callback = undefined;
    this.#cancelled++;
    // Deadlines are nearly always taken back: without this they would pile up until they are due.
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#timers.length) this.#compact();
    return true;
  }

  peek(): WaitingTimer | undefined {
    for (let top = this.#timers[0]; top !== undefined; top = this.#timers[0]) {
      if (top.callback !== undefined) return top;
      this.#removeTop();
      this.#cancelled--;
    }
    return undefined;
  }

  /** Takes the soonest timer out and hands back what it calls. */
  pop(): { readonly timer: WaitingTimer; readonly callback: () => void } | undefined {
    const timer = this.peek();
    const callback = timer?.callback;
    if (timer === undefined || callback === undefined) return undefined;
    this.#removeTop();
    timer.callback = undefined;
    return { timer, callback };
  }

  clear(): void {
    for (const timer of this.#timers) timer.callback = undefined;
    this.#timers = [];
    this.#cancelled = 0;
  }

  #removeTop(): void {
    const last = this.#timers.pop();
    if (last === undefined || this.#timers.length === 0) return;
    this.#timers[0] = last;
    this.#sink(0);
  }

  #compact(): void {
    this.#timers = this.#timers.filter((timer) => timer.callback !== undefined);
    this.#cancelled = 0;
    for (let index = (this.#timers.length >> 1) - 1; index >= 0; index--) this.#sink(index);
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isSooner(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let soonest = index;
      if (this.#isSooner(left, soonest)) soonest = left;
      if (this.#isSooner(right, soonest)) soonest = right;
      if (soonest === index) return;
      this.#swap(index, soonest);
      index = soonest;
    }
  }

  #isSooner(first: number, second: number): boolean {
    const a = this.#timers[first];
    const b = this.#timers[second];
    if (a === undefined || b === undefined) return false;
    if (a.at !== b.at) return a.at < b.at;
    if (a.party !== b.party) return a.party < b.party;
    return a.order < b.order;
  }

  #swap(first: number, second: number): void {
    const a = this.#timers[first];
    const b = this.#timers[second];
    if (a === undefined || b === undefined) return;
    this.#timers[first] = b;
    this.#timers[second] = a;
  }
}
