import { StoreError } from './errors.ts';

/** A statement as it was written, looked through once. */
export interface StatementText {
  /** How many values it takes. */
  readonly placeholders: number;
  /** The same with `$1`, `$2`, ... for `?`. */
  readonly numbered: string;
  /** True for what reports a number of changed rows. */
  readonly isChange: boolean;
  /** True for what only reads. */
  readonly isQuery: boolean;
}

/**
 * What has to be stepped over to find a placeholder or an end: strings (also E'...' with backslashes, and
 * $tag$...$tag$), quoted names, comments, and words, so that the e of `name'` begins no E-string.
 */
const pieces =
  /[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|[A-Za-z_][\w$]*|\?|;/g;

/** Looks through one statement. Several in one text are refused, since SQLite would silently run only the first. */
export function readStatement(sql: string): StatementText {
  let placeholders = 0;
  let end = sql.length;
  const numbered = sql.replaceAll(pieces, (piece: string, _tag: string | undefined, at: number) => {
    if (piece === ';') end = Math.min(end, at);
    if (piece !== '?') return piece;
    placeholders += 1;
    return `$${placeholders}`;
  });
  const rest = sql.slice(end + 1).replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '');
  if (rest.trim() !== '') throw new StoreError('badStatement', { detail: 'the text has more than one statement' });
  return {
    placeholders,
    numbered,
    isChange: /^\s*(?:insert|update|delete|with)\b/i.test(sql),
    isQuery: /^\s*select\b/i.test(sql),
  };
}
