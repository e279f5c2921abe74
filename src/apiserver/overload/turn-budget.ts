/**
 * The time that requests may take of one turn of the event loop. Most of them are answered at once, without ever giving
 * way: a hundred lists that arrived together would run one after the other before the server so much as looked at what
 * else has arrived. Past the budget the rest waits for the next turn, where everybody who has asked by then is served in turn.
 */
export class TurnBudget {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #onTurn = new Set<() => void>();
  #began: number | undefined;

  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs;
    this.#now = now;
  }

  /** Whether another request may start in this turn. */
  hasTime(): boolean {
    if (this.#began !== undefined) return this.#now() - this.#began < this.#limitMs;
    this.#beginTurn();
    return true;
  }

  /** Calls back once, when the next turn has begun. */
  onNextTurn(callback: () => void): void {
    this.#onTurn.add(callback);
    if (this.#began === undefined) this.#beginTurn();
  }

  #beginTurn(): void {
    this.#began = this.#now();
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#began = undefined;
    const callbacks = [...this.#onTurn];
    this.#onTurn.clear();
    for (const callback of callbacks) callback();
  }
}
