/**
 * Turns of the event loop for heavy work that only the main thread can do: one step of one request in each turn,
 * however many such requests there are. Whatever else has arrived is served between two steps.
 */
export class MainThreadSteps {
  readonly #waiting: (() => void)[] = [];

  /** Settles when the caller may take its next step. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.();
    // What is set in this phase of the loop runs in its next round, after timers and connections had theirs.
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
