import type { JsonValue, Row } from '../../engine/index.ts';

/** A column that is a text. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`the column ${column} holds no text`);
  return value;
}

/** A column that is a number. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`the column ${column} holds no number`);
  return value;
}

/** A column that is a text or empty. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** A column that is a number or empty. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}

/** A column that holds JSON. */
export function jsonOf<T extends JsonValue>(row: Row, column: string): T {
  return JSON.parse(textOf(row, column)) as T;
}
