import type { SqliteConnection } from './connection.ts';

/** Connections for reads: one for each read that is going on, up to a limit, and then reads wait their turn. */
export class ReadPool {
  readonly #open: () => SqliteConnection;
  readonly #limit: number;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(limit: number, open: () => SqliteConnection) {
    this.#limit = limit;
    this.#open = open;
  }

  async use<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else next(connection);
    }
  }

  close(): void {
    for (const connection of this.#all.splice(0)) connection.close();
  }

  #take(): SqliteConnection | Promise<SqliteConnection> {
    // The one used last has the most statements prepared.
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#all.length >= this.#limit) return new Promise((resolve) => this.#waiting.push(resolve));
    const opened = this.#open();
    this.#all.push(opened);
    return opened;
  }
}
