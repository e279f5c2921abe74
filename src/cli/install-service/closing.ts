/** Things that are open, to be closed in the opposite order. */
export class Closing {
  readonly #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.unshift(close);
  }

  /** Closes everything, also after one failed to; the first failure is thrown at the end. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
