/** A first-in, first-out list whose front is dropped without moving the rest each time. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  first(): T | undefined {
    return this.#items[this.#start];
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#start];
    // A dropped item must not stay reachable until the next trim.
    this.#items[this.#start] = undefined;
    this.#start += 1;
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }

  /** Items from the first one that passes on; once one passes, all after it must. */
  from(passes: (item: T) => boolean): T[] {
    let low = this.#start;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (passes(this.#items[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return this.#items.slice(low) as T[];
  }
}
