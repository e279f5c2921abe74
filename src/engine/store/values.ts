import type { SqlValue } from './database.ts';
import { StoreError } from './errors.ts';

/**
 * Refuses what the two databases would store differently or not at all: PostgreSQL has no NUL in text, a half of a
 * surrogate pair would come back as another character, SQLite turns NaN and missing values into NULL.
 */
export function checkValues(values: readonly SqlValue[], placeholders: number): void {
  if (values.length !== placeholders)
    throw new StoreError('badStatement', {
      detail: `it has ${placeholders} placeholders and got ${values.length} values`,
    });
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) throw new StoreError('badValue', { detail: problem });
  }
}

function problemOf(value: SqlValue | undefined): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'a text contains the character U+0000';
    return value.isWellFormed() ? undefined : 'a text contains half of a surrogate pair';
  }
  if (typeof value !== 'number')
    return `a value is of type ${typeof value}, and only texts, numbers and null are taken`;
  if (!Number.isFinite(value)) return `${value} is not a number that can be stored`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return `the integer ${value} is not exact`;
  return undefined;
}
