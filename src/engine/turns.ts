/** Runs pieces of work one after the other. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a line of its own. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}
