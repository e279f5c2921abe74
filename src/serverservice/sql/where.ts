import type { SqlValue } from '../../engine/index.ts';

/** A piece of SQL that we wrote, with the values that others gave. The text never holds a value. */
export interface SqlPiece {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Collects what rows must fulfil, all of it. */
export class Where {
  readonly #pieces: SqlPiece[] = [];

  add(sql: string, ...values: readonly SqlValue[]): this {
    this.#pieces.push({ sql, values });
    return this;
  }

  /** Adds a comparison if there is a value to compare with. */
  addIf(sql: string, value: SqlValue | undefined): this {
    return value === undefined ? this : this.add(sql, value);
  }

  get sql(): string {
    return this.#pieces.length === 0 ? '1 = 1' : this.#pieces.map(({ sql }) => `(${sql})`).join(' AND ');
  }

  get values(): readonly SqlValue[] {
    return this.#pieces.flatMap(({ values }) => values);
  }
}

/** A list for `IN`; its length is rounded up, so that the database need not prepare each length anew. */
export function inList(values: readonly SqlValue[]): SqlPiece {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const padded = [...values, ...Array.from({ length: length - values.length }, () => values.at(-1) ?? null)];
  return { sql: `(${padded.map(() => '?').join(', ')})`, values: padded };
}

/** Databases take some ten thousand values in a statement; long lists are looked up in parts. */
export async function inParts<T>(
  ids: readonly string[],
  read: (list: SqlPiece) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let start = 0; start < ids.length; start += partLength)
    all.push(...(await read(inList(ids.slice(start, start + partLength)))));
  return all;
}

const partLength = 512;
