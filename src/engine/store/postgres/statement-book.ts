import { BoundedCache } from '../bounded-cache.ts';
import { readStatement, type StatementText } from '../statement-text.ts';

/** A statement and the name it is prepared under. */
export interface BookedStatement {
  readonly text: StatementText;
  readonly name: string | undefined;
}

/** A server keeps what is prepared for as long as the connection lives, so only so many statements get a name. */
const maxNamed = 400;

/** Knows statements: their text for PostgreSQL, and under which name each connection prepares them. */
export class StatementBook {
  readonly #names = new Map<string, string>();
  readonly #known = new BoundedCache<BookedStatement>(1_000, (sql) => ({
    text: readStatement(sql),
    name: this.#nameOf(sql),
  }));

  find(sql: string): BookedStatement {
    return this.#known.get(sql);
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= maxNamed) return known;
    const name = `s${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}
