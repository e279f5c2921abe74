import type { Database } from './store/index.ts';

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

/**
 * Turns for transactions that insert into the same pages of an index. PostgreSQL would let them run beside each other
 * and then ask for most of them again; SQLite has one writer anyway and shares commits among those who wait.
 */
export function createWriteTurns(database: Database): InTurn {
  return database.dialect === 'sqlite' ? (work) => work() : createTurns();
}
