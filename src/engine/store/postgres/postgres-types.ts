import type { CustomTypesConfig } from 'pg';
import type { SqlValue } from '../database.ts';
import { StoreError } from '../errors.ts';

/** Types by their object id; everything else stays the text that the server sends. */
const parsers: ReadonlyMap<number, (text: string) => SqlValue> = new Map([
  [16, (text: string) => (text === 't' ? 1 : 0)],
  [20, readInteger],
  [21, readInteger],
  [23, readInteger],
  [26, readInteger],
  [700, Number],
  [701, Number],
  // What a sum over BIGINT is; CockroachDB calls it DECIMAL and sends the same id.
  [1700, readNumeric],
]);

/** How values of PostgreSQL become what SQLite would give: truth as 0 and 1, integers as numbers. */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number) => parsers.get(oid) ?? String) as CustomTypesConfig['getTypeParser'],
};

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new StoreError('badValue', { detail: `the integer ${text} is not exact` });
  return value;
}

function readNumeric(text: string): number {
  return /^-?\d+$/.test(text) ? readInteger(text) : Number(text);
}
