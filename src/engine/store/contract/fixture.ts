import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Clock } from '../../../kube/index.ts';
import type { Database, SqlValue } from '../database.ts';
import { StoreError, type StoreErrorCode } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';

/** What a test of the contract asks for beside an empty database. */
export interface ContractOptions {
  readonly faults?: DatabaseFaults;
  readonly clock?: Clock;
}

/** A kind of database that has to keep the contract. */
export interface ContractTarget {
  readonly name: string;
  /** Opens a new, empty database. */
  open(options: ContractOptions): Promise<Database>;
}

/** An empty database that is closed when the test ends. */
export async function emptyDatabase(
  t: TestContext,
  target: ContractTarget,
  options: ContractOptions = {},
): Promise<Database> {
  const database = await target.open(options);
  t.after(() => database.close());
  return database;
}

/** A database with a table `item`, its key, a number and a text. */
export async function itemDatabase(
  t: TestContext,
  target: ContractTarget,
  options: ContractOptions = {},
): Promise<Database> {
  const database = await emptyDatabase(t, target, options);
  await write(database, 'CREATE TABLE item (id TEXT PRIMARY KEY, amount BIGINT NOT NULL, note TEXT)');
  return database;
}

/** Runs one statement in a transaction of its own. */
export function write(database: Database, sql: string, ...values: SqlValue[]): Promise<number> {
  return database.write((tx) => tx.run(sql, ...values));
}

/** Adds an item. */
export function addItem(database: Database, id: string, amount: number): Promise<number> {
  return write(database, 'INSERT INTO item (id, amount) VALUES (?, ?)', id, amount);
}

/** The amount of every item by its id. */
export async function amounts(database: Database): Promise<Record<string, SqlValue>> {
  const rows = await database.read((tx) => tx.all('SELECT id, amount FROM item ORDER BY id'));
  return Object.fromEntries(rows.map((row) => [String(row.id), row.amount ?? null]));
}

/** True for a store error of that code. */
export function isStoreError(code: StoreErrorCode): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof StoreError, `expected the store error ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  };
}

/**
 * A place where transactions that can run at the same time meet once, so that both have read before either writes. One
 * that is run again finds it open; SQLite runs writes one after the other, so there nobody waits.
 */
export function meetingPoint(database: Database, count: number): () => Promise<void> {
  const open = Promise.withResolvers<void>();
  let missing = database.dialect === 'postgres' ? count : 0;
  return () => {
    missing -= 1;
    if (missing <= 0) open.resolve();
    return open.promise;
  };
}
