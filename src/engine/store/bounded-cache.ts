/** A map that forgets what was used longest ago once it is full. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  readonly #make: (key: string) => V;

  constructor(limit: number, make: (key: string) => V) {
    this.#limit = limit;
    this.#make = make;
  }

  get(key: string): V {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      // Moving every hit to the end costs more than it saves while there is room.
      if (this.#entries.size >= this.#limit) {
        this.#entries.delete(key);
        this.#entries.set(key, known);
      }
      return known;
    }
    const made = this.#make(key);
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value ?? '');
    this.#entries.set(key, made);
    return made;
  }

  clear(): void {
    this.#entries.clear();
  }
}
