import type { ClientBase, QueryResult } from 'pg';
import type { Row, SqlValue, Transaction, WriteOptions } from '../database.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import type { Tally } from '../tally.ts';
import { checkValues } from '../values.ts';
import { mapPostgresError } from './postgres-errors.ts';
import type { StatementBook } from './statement-book.ts';

/** What a transaction is made of. */
export interface PostgresTransactionParts {
  readonly client: ClientBase;
  readonly now: number;
  readonly isolation: NonNullable<WriteOptions['isolation']>;
  readonly where: string;
  readonly book: StatementBook;
  readonly tally: Tally;
  readonly faults: DatabaseFaults | undefined;
}

/** The statements of one transaction on one connection. */
export class PostgresTransaction implements Transaction {
  readonly now: number;
  readonly isolation: NonNullable<WriteOptions['isolation']>;
  readonly #parts: PostgresTransactionParts;
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  #isOver = false;

  constructor(parts: PostgresTransactionParts) {
    this.#parts = parts;
    this.now = parts.now;
    this.isolation = parts.isolation;
  }

  /** The first error of a statement as the server gave it: nothing of the transaction can be stored after one. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Waits for statements that nobody waited for, and takes no more. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return (await this.#inTurn(sql, values)).rows;
  }

  async first(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#inTurn(sql, values)).rows[0];
  }

  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    const { command, rowCount } = await this.#inTurn(sql, values);
    return ['INSERT', 'UPDATE', 'DELETE'].includes(command) ? (rowCount ?? 0) : 0;
  }

  /** A connection does one statement at a time. */
  #inTurn(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    if (this.#isOver) return Promise.reject(new StoreError('ended', { detail: 'its end' }));
    const result = this.#last.then(() => this.#query(sql, values));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #query(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    if (this.#failure !== undefined) throw new StoreError('ended', { detail: 'it failed' }, { cause: this.#failure });
    const { client, book, tally, faults, where } = this.#parts;
    try {
      const { text, name } = book.find(sql);
      checkValues(values, text.placeholders);
      tally.statements += 1;
      const fault = faults?.before('statement');
      if (fault !== undefined) throw fault;
      return await client.query<Row>({
        text: text.numbered,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      });
    } catch (error) {
      this.#failure = error;
      throw mapPostgresError(error, where);
    }
  }
}
