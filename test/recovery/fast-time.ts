import type { Database, Transaction } from '../../src/engine/index.ts';
import type { Clock } from '../../src/kube/index.ts';

/** How fast time goes for the whole of a run, in all its processes: at `epochMs` it is the time of day, from there it is faster. */
export interface Tempo {
  readonly speed: number;
  readonly epochMs: number;
}

/** A fast clock whose steady part can be made to stand still, as it does in a virtual machine that is suspended. */
export interface FastClock extends Clock {
  /** So much real time has passed that the steady clock did not notice; the time of day did. */
  stoodStill(realMs: number): void;
}

/** Fast time that belongs to a real time of day. */
export function fastTimeOf({ speed, epochMs }: Tempo, realMs: number): number {
  return epochMs + Math.round((realMs - epochMs) * speed);
}

/** Makes the clock of one process. Clocks of different processes agree on the time of day. */
export function createFastClock(tempo: Tempo): FastClock {
  let missedMs = 0;
  const monotonic = (): number => (performance.now() - missedMs) * tempo.speed;
  return {
    now: () => fastTimeOf(tempo, Date.now()),
    monotonic,
    after(delayMs, callback) {
      const due = monotonic() + Math.max(0, delayMs);
      let timer: ReturnType<typeof setTimeout>;
      // After a standstill a timer of the machine comes too early by this clock.
      const fire = (): void => {
        if (monotonic() < due) arm();
        else callback();
      };
      const arm = (): void => {
        const realMs = Math.ceil((due - monotonic()) / tempo.speed);
        timer = setTimeout(fire, Math.min(Math.max(0, realMs), 2 ** 31 - 1));
      };
      arm();
      return { cancel: () => clearTimeout(timer) };
    },
    stoodStill(realMs) {
      missedMs += realMs;
    },
  };
}

/** A database server whose clock still counts, at the tempo of the run. `beforeCommit` is called then. */
export function onTempo(database: Database, tempo: Tempo, beforeCommit: () => void): Database {
  const at = (tx: Transaction): Transaction => ({
    all: (sql, ...values) => tx.all(sql, ...values),
    first: (sql, ...values) => tx.first(sql, ...values),
    run: (sql, ...values) => tx.run(sql, ...values),
    now: fastTimeOf(tempo, tx.now),
  });
  return {
    dialect: database.dialect,
    read: (work) => database.read((tx) => work(at(tx))),
    write: (work, ...options) =>
      database.write(
        async (tx) => {
          const value = await work(at(tx));
          beforeCommit();
          return value;
        },
        ...options,
      ),
    get counts() {
      return database.counts;
    },
    close: () => database.close(),
  };
}
