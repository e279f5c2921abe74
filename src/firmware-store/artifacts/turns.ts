/** Lets a few do something at once, and one at a time for each name. */
export interface Turns {
  /** Runs the work when its turn comes. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs the work when fewer than the most go on. */
  limited<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes turns with so many at once. */
export function createTurns(most: number): Turns {
  const last = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    inTurn(name, work) {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(name, mine);
      const forget = (): void => {
        if (last.get(name) === mine) last.delete(name);
      };
      mine.then(forget, forget);
      return mine;
    },
    async limited(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
