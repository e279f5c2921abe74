import type { Row, SqlValue, Transaction } from '../database.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import type { Tally } from '../tally.ts';
import type { SqliteConnection } from './connection.ts';

/** What a transaction is made of. */
export interface SqliteTransactionParts {
  readonly connection: SqliteConnection;
  readonly now: number;
  readonly tally: Tally;
  readonly faults: DatabaseFaults | undefined;
  /** Called before the first statement, which is what takes the snapshot. */
  readonly onFirst?: () => void;
  /** Throws for a statement that cannot be taken now. */
  readonly check?: (sql: string) => void;
}

/** The statements of one transaction on one connection. */
export class SqliteTransaction implements Transaction {
  readonly now: number;
  readonly #parts: SqliteTransactionParts;
  #failure: unknown;
  #isOver = false;
  #isUsed = false;
  #hasWritten = false;

  constructor(parts: SqliteTransactionParts) {
    this.#parts = parts;
    this.now = parts.now;
  }

  /** The first error of a statement: as in PostgreSQL, nothing of a transaction is stored after one. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether anything but a query was run. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  end(): void {
    this.#isOver = true;
  }

  all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return this.#step(sql, (connection) => connection.all(sql, values));
  }

  first(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#step(sql, (connection) => connection.first(sql, values));
  }

  run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#step(sql, (connection) => connection.run(sql, values));
  }

  async #step<T>(sql: string, step: (connection: SqliteConnection) => T): Promise<T> {
    if (this.#isOver) throw new StoreError('ended', { detail: 'its end' });
    if (this.#failure !== undefined) throw new StoreError('ended', { detail: 'it failed' }, { cause: this.#failure });
    if (!this.#isUsed) this.#parts.onFirst?.();
    this.#isUsed = true;
    try {
      this.#parts.tally.statements += 1;
      const fault = this.#parts.faults?.before('statement');
      if (fault !== undefined) throw fault;
      this.#parts.check?.(sql);
      const result = step(this.#parts.connection);
      this.#hasWritten ||= !this.#parts.connection.isQuery(sql);
      return result;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
