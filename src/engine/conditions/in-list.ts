import type { SqlValue } from '../store/database.ts';

/** The part of a statement after `IN`, with its values. */
export interface InList {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * A list for `IN`. Its length is rounded up by repeating the last value, so that lists of any length make only a few
 * different statements and the database need not prepare each anew. An empty list matches nothing.
 */
export function inList(values: readonly SqlValue[]): InList {
  const last = values.at(-1) ?? null;
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const padded = [...values, ...Array.from({ length: length - values.length }, () => last)];
  return { sql: `(${padded.map(() => '?').join(', ')})`, values: padded };
}
