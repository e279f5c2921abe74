/** A value that both SQLite and PostgreSQL take. JSON goes as text, booleans as 0 and 1, times as epoch milliseconds. */
export type SqlValue = string | number | null;

/** A row by column name. */
export type Row = Readonly<Record<string, SqlValue>>;

/** Statements of one transaction. Placeholders are `?`, in order, whatever the database. */
export interface Transaction {
  all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  first(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
  /** The number of rows changed. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /** The database's clock, epoch milliseconds; one value for the whole transaction. */
  readonly now: number;
}

/** Where conditions and inventory are kept. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** A read-only snapshot. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * A serializable transaction. It may be run again from the start when the database asks for it (error 40001), so the
   * work has no effects but its statements. Resolves when the changes are durable.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Statements and transactions so far, for benches and metrics. */
  readonly counts: { readonly statements: number; readonly transactions: number; readonly retries: number };
  close(): Promise<void>;
}

/** A unique index was hit; `columns` names what had to be unique, as far as the database says. */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`another row has the same ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}
