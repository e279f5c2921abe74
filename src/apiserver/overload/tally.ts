/** Counts what each of many has, and forgets those who have nothing. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** How many there are. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** One more, unless that would be more than the limit. */
  take(name: string, limit: number): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(name, count + 1);
    return true;
  }

  /** One less. */
  give(name: string): void {
    const count = this.#counts.get(name) ?? 0;
    if (count <= 1) this.#counts.delete(name);
    else this.#counts.set(name, count - 1);
  }
}
