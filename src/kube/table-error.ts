import type { RetryClass } from './errors.ts';

/** What a room's table says of one kind of error. Words in braces in the message are filled in. */
export interface ErrorEntry {
  readonly retry: RetryClass;
  readonly message: string;
}

/** An entry of a table whose errors are answered over HTTP. */
export interface HttpErrorEntry extends ErrorEntry {
  readonly status: number;
}

/** Which error it is, and what its message is filled with. */
export interface ErrorWords<Code extends string, Entry extends ErrorEntry> {
  readonly table: Readonly<Record<Code, Entry>>;
  readonly code: Code;
  /** By the words in braces; `problems` are filled in by themselves. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** What goes with an error besides its message. */
export interface ErrorMore {
  /** The single reasons, where there are several. */
  readonly problems?: readonly string[];
  readonly cause?: unknown;
}

/** An error of a room's table: a code to decide on, whether trying again can help, and a message to show. */
export abstract class TableError<Code extends string, Entry extends ErrorEntry = ErrorEntry> extends Error {
  readonly code: Code;
  readonly retry: RetryClass;
  /** The single reasons, where there are several. */
  readonly problems: readonly string[];

  constructor({ table, code, fields }: ErrorWords<Code, Entry>, more: ErrorMore = {}) {
    const problems = more.problems ?? [];
    const text = fill(table[code].message, { problems: problems.join('; '), ...fields });
    super(text, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = table[code].retry;
    this.problems = problems;
  }
}

/** An error of a room's table that is answered over HTTP. */
export abstract class HttpTableError<Code extends string> extends TableError<Code, HttpErrorEntry> {
  readonly status: number;

  constructor(words: ErrorWords<Code, HttpErrorEntry>, more: ErrorMore = {}) {
    super(words, more);
    this.status = words.table[words.code].status;
  }
}

function fill(template: string, fields: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(fields[name] ?? '?'));
}

/** True for errors of one class with one of the codes, or with any when none is named. */
export function isErrorOf<E extends TableError<string>>(
  type: abstract new (...parts: never[]) => E,
  error: unknown,
  codes: readonly E['code'][],
): error is E {
  return error instanceof type && (codes.length === 0 || codes.includes(error.code));
}
