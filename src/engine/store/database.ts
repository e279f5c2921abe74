/** A value that both SQLite and PostgreSQL take. JSON goes as text, booleans as 0 and 1, times as epoch milliseconds. */
export type SqlValue = string | number | null;

/** A row by column name. */
export type Row = Readonly<Record<string, SqlValue>>;

/**
 * Statements of one transaction. Placeholders are `?`, in order, whatever the database, and a text is one statement.
 * After a statement that failed, nothing of the transaction is stored, even if the error is caught: where a row may be
 * there already, `INSERT ... ON CONFLICT DO NOTHING` says so by its number of rows. Name columns in lower case.
 */
export interface Transaction {
  all(sql: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  first(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
  /** The number of rows changed. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /** The database's clock, epoch milliseconds; one value for the whole transaction. */
  readonly now: number;
  /** How it keeps others out, where there is more than one writer. */
  readonly isolation?: WriteOptions['isolation'];
}

/** How a write keeps others out. */
export interface WriteOptions {
  /**
   * `serializable` unless given. `row-locks` is READ COMMITTED where there is more than one writer: each statement sees
   * what is committed by then, and the work locks what it decides on (`SELECT ... FOR UPDATE`) before it reads it.
   * Processes that work on different rows then never ask each other to run again.
   */
  readonly isolation?: 'serializable' | 'row-locks';
}

/** Where conditions and inventory are kept. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** What to call it in messages: a path, or a host and a name. Never holds a password. */
  readonly label?: string;
  /** A read-only snapshot. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * A transaction, serializable unless told otherwise. It may be run again from the start when the database asks for it
   * (error 40001), so the work has no effects but its statements. Resolves when the changes are durable.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Statements and transactions so far, for benches and metrics. */
  readonly counts: { readonly statements: number; readonly transactions: number; readonly retries: number };
  /** Where the database is one file: keeps a copy beside it, named with the suffix, and says where. */
  keepCopy?(suffix: string): Promise<string>;
  /** Where the database is one file: what is wrong with its disk, if anything. */
  diskFault?(): string | undefined;
  close(): Promise<void>;
}

/**
 * A unique index was hit. `constraint` is its name: the index's own, or `<table>_pkey` and `<table>_<columns>_key`, as
 * PostgreSQL calls what was declared in a table.
 */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`another row has the same ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}
