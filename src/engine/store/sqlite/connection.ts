import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { BoundedCache } from '../bounded-cache.ts';
import type { Row, SqlValue } from '../database.ts';
import { readStatement, type StatementText } from '../statement-text.ts';
import { checkValues } from '../values.ts';
import { mapSqliteError } from './sqlite-errors.ts';

interface Prepared {
  readonly text: StatementText;
  readonly statement: StatementSync;
}

/** A connection to a database file with its prepared statements. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #where: string;
  readonly #prepared: BoundedCache<Prepared>;
  #pages = 0;

  constructor(path: string, options: { readonly where: string; readonly isReadOnly: boolean }) {
    this.#where = options.where;
    this.db = new DatabaseSync(path, {
      timeout: 5_000,
      readOnly: options.isReadOnly,
      enableForeignKeyConstraints: true,
    });
    // As in PostgreSQL, LIKE tells capitals from small letters.
    this.db.exec('PRAGMA case_sensitive_like = ON');
    this.#prepared = new BoundedCache(500, (sql) => {
      const text = readStatement(sql);
      return { text, statement: this.db.prepare(sql) };
    });
  }

  all(sql: string, values: readonly SqlValue[]): Row[] {
    // Rows come without a prototype, which makes them unlike the same rows from PostgreSQL.
    return this.#use(sql, values, ({ statement }) => statement.all(...values).map((row) => ({ ...row }) as Row));
  }

  first(sql: string, values: readonly SqlValue[]): Row | undefined {
    const row = this.#use(sql, values, ({ statement }) => statement.get(...values));
    return row === undefined ? undefined : ({ ...row } as Row);
  }

  run(sql: string, values: readonly SqlValue[]): number {
    return this.#use(sql, values, ({ statement, text }) => {
      const { changes } = statement.run(...values);
      // SQLite repeats the last number for statements that change no rows, such as CREATE TABLE.
      return text.isChange ? Number(changes) : 0;
    });
  }

  /** About how many pages the statements since the last call have changed. */
  takePages(): number {
    const pages = this.#pages;
    this.#pages = 0;
    return pages;
  }

  /** Whether a statement is known to only read; it must have been run before. */
  isQuery(sql: string): boolean {
    return this.#prepared.get(sql).text.isQuery;
  }

  close(): void {
    this.#prepared.clear();
    if (this.db.isOpen) this.db.close();
  }

  #use<T>(sql: string, values: readonly SqlValue[], step: (prepared: Prepared) => T): T {
    try {
      const prepared = this.#prepared.get(sql);
      checkValues(values, prepared.text.placeholders);
      if (!prepared.text.isQuery) this.#pages += pagesFor(values);
      return step(prepared);
    } catch (error) {
      throw mapSqliteError(error, { db: this.db, where: this.#where });
    }
  }
}

/** A row and an index entry, and what long texts add. */
function pagesFor(values: readonly SqlValue[]): number {
  let length = 0;
  for (const value of values) if (typeof value === 'string') length += value.length;
  return 2 + length / 4_096;
}
