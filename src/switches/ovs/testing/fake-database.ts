import { randomUUID } from 'node:crypto';

/** A row by column; references are `["uuid", id]`, sets and maps as on the wire. */
export type FakeRow = Record<string, unknown>;

/** Tables by name, rows by id. */
export type FakeTables = Map<string, Map<string, FakeRow>>;

/** One operation of a transaction. */
export type FakeOperation = Readonly<Record<string, unknown>>;

/** Thrown inside a transaction; its words are the answer. */
class Refusal extends Error {}

/** Rows that a transaction changed, by table. */
export type FakeChanges = Map<string, Set<string>>;

/** Says that a `wait` is not fulfilled yet. */
export const notYet = Symbol('not yet');

/** What a transaction came to. */
export type FakeOutcome = { readonly results: readonly unknown[]; readonly changes: FakeChanges } | typeof notYet;

/**
 * The few operations of OVSDB that the driver uses, with the rules that it leans on: all or none, an update of no row is
 * no error, VLAN columns have ranges, a wait with time-out 0 fails at once.
 */
export class FakeDatabase {
  tables: FakeTables = new Map();

  insert(table: string, row: FakeRow): string {
    const id = randomUUID();
    this.rows(table).set(id, row);
    return id;
  }

  rows(table: string): Map<string, FakeRow> {
    const known = this.tables.get(table) ?? new Map<string, FakeRow>();
    this.tables.set(table, known);
    return known;
  }

  transact(operations: readonly FakeOperation[]): FakeOutcome {
    const before = structuredClone(this.tables);
    const changes: FakeChanges = new Map();
    const results: unknown[] = [];
    for (const operation of operations) {
      try {
        const result = this.#run(operation, changes);
        if (result === notYet) {
          this.tables = before;
          return notYet;
        }
        results.push(result);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.tables = before;
        const rest = operations.slice(results.length + 1).map(() => null);
        return { results: [...results, { error: error.message, details: '' }, ...rest], changes: new Map() };
      }
    }
    return { results, changes };
  }

  #run(operation: FakeOperation, changes: FakeChanges): unknown {
    const table = String(operation.table);
    const found = [...this.rows(table)].filter(([id, row]) => isChosen(operation.where, id, row));
    const touch = (): void => {
      for (const [id] of found) changes.set(table, (changes.get(table) ?? new Set()).add(id));
    };
    switch (operation.op) {
      case 'select':
        return { rows: found.map(([id, row]) => picked({ _uuid: ['uuid', id], ...row }, operation.columns)) };
      case 'update':
        for (const [, row] of found) Object.assign(row, checked(operation.row as FakeRow));
        touch();
        return { count: found.length };
      case 'mutate':
        for (const [, row] of found) for (const mutation of operation.mutations as unknown[][]) mutate(row, mutation);
        touch();
        return { count: found.length };
      case 'wait':
        return waited(
          operation,
          found.map(([, row]) => row),
        );
      default:
        throw new Refusal('unknown operation');
    }
  }
}

function isChosen(where: unknown, id: string, row: FakeRow): boolean {
  return (where as unknown[][]).every(([column, , value]) => {
    const seen = column === '_uuid' ? ['uuid', id] : row[String(column)];
    return JSON.stringify(seen) === JSON.stringify(value);
  });
}

function picked(row: FakeRow, columns: unknown): FakeRow {
  return Array.isArray(columns)
    ? Object.fromEntries(columns.map((column) => [column, row[String(column)] ?? ['set', []]]))
    : row;
}

/** The schema lets 0 to 4095 through, and one alone is told without the word set. */
function checked(row: FakeRow): FakeRow {
  const members = (value: unknown): unknown[] =>
    Array.isArray(value) && value[0] === 'set' ? (value[1] as unknown[]) : [value];
  for (const column of ['tag', 'trunks']) {
    if (column in row && members(row[column]).some((id) => Number(id) < 0 || Number(id) > 4095))
      throw new Refusal('constraint violation');
  }
  const single = (value: unknown): unknown =>
    Array.isArray(value) && value[0] === 'set' && members(value).length === 1 ? members(value)[0] : value;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, single(value)]));
}

function mutate(row: FakeRow, [column, mutator, value]: readonly unknown[]): void {
  const name = String(column);
  if (mutator === '+=') row[name] = Number(row[name]) + Number(value);
  else if (mutator === 'insert') {
    const pairs = (shown: unknown): [string, string][] =>
      Array.isArray(shown) && shown[0] === 'map' ? (shown[1] as [string, string][]) : [];
    // What is there already stays: insert never overwrites.
    row[name] = ['map', [...new Map([...pairs(value), ...pairs(row[name])])]];
  } else throw new Refusal('unknown mutator');
}

function waited(operation: FakeOperation, rows: readonly FakeRow[]): unknown {
  const shown = rows.map((row) => picked(row, operation.columns));
  const isSame = JSON.stringify(shown) === JSON.stringify(operation.rows);
  if (isSame === (operation.until === '==')) return {};
  if (operation.timeout === 0) throw new Refusal('timed out');
  return notYet;
}
