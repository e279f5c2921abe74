import { ValueList } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { formatString } from '../string-format.ts';
import type { CelList, Value } from '../values.ts';

const codePoints = (text: Value): string[] => [...(text as string)];

function outOfRange(index: Value): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: Value, index: Value): Value {
  const characters = codePoints(text);
  const at = Number(index);
  if (at < 0 || at > characters.length) throw outOfRange(index);
  return characters[at] ?? '';
}

/** Where the piece stands from the offset on, counted in code points. */
function indexOf(text: Value, piece: Value, offset: Value = 0): Value {
  if (piece === '') return offset;
  const from = Number(offset);
  if (from < 0) throw outOfRange(offset);
  const characters = codePoints(text);
  const wanted = codePoints(piece);
  for (let i = from; i <= characters.length - wanted.length; i++) {
    if (wanted.every((c, j) => characters[i + j] === c)) return i;
  }
  return -1;
}

function lastIndexOf(text: Value, piece: Value, offset?: Value): Value {
  const characters = codePoints(text);
  if (piece === '') return offset ?? characters.length;
  if (offset === undefined && (text as string).length < (piece as string).length) return -1;
  const from = offset === undefined ? characters.length - 1 : Number(offset);
  if (from < 0) throw outOfRange(offset ?? from);
  if (from >= characters.length) return -1;
  const wanted = codePoints(piece);
  for (let i = Math.min(from, characters.length - wanted.length); i >= 0; i--) {
    if (wanted.every((c, j) => characters[i + j] === c)) return i;
  }
  return -1;
}

function replace(text: Value, old: Value, replacement: Value, limit: Value = -1): Value {
  const max = Number(limit);
  if (max === 0) return text;
  if (old === '') return insertBetween(codePoints(text), replacement as string, max);
  const pieces = (text as string).split(old as string);
  if (max < 0 || pieces.length - 1 <= max) return pieces.join(replacement as string);
  return [pieces.slice(0, max + 1).join(replacement as string), ...pieces.slice(max + 1)].join(old as string);
}

/** Replacing nothing puts the replacement before every character and at the end. */
function insertBetween(characters: readonly string[], replacement: string, max: number): string {
  const places = max < 0 ? characters.length + 1 : Math.min(max, characters.length + 1);
  let result = '';
  for (let i = 0; i <= characters.length; i++) result += (i < places ? replacement : '') + (characters[i] ?? '');
  return result;
}

function split(text: Value, separator: Value, limit: Value = -1): Value {
  const max = Number(limit);
  if (max === 0) return new ValueList([]);
  const pieces = separator === '' ? codePoints(text) : (text as string).split(separator as string);
  if (max < 0 || pieces.length <= max) return new ValueList(pieces);
  return new ValueList([...pieces.slice(0, max - 1), pieces.slice(max - 1).join(separator as string)]);
}

function substring(text: Value, start: Value, end?: Value): Value {
  const characters = codePoints(text);
  const from = Number(start);
  const to = end === undefined ? characters.length : Number(end);
  if (end !== undefined && from > to) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (from < 0 || from > characters.length) throw outOfRange(start);
  if (to < 0 || to > characters.length) throw outOfRange(to);
  return characters.slice(from, to).join('');
}

function join(list: Value, separator: Value = ''): Value {
  const parts = (list as CelList).toArray();
  const odd = parts.find((part) => typeof part !== 'string');
  // The reference prints a null as the number it is to it.
  if (odd !== undefined)
    throw new CelError(`join: invalid input: ${odd === null || typeof odd === 'object' ? 0 : odd}`);
  return parts.join(separator as string);
}

const quoteEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** The string as a CEL literal in double quotes. */
export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that have an escape
  return `"${text.toWellFormed().replace(/[\u0007\b\f\n\r\t\v\\"]/g, (c) => quoteEscapes[c] as string)}"`;
}

// Go's TrimSpace: the white space of Unicode, which is not quite that of String.prototype.trim (no U+FEFF there).
const space = '[\\t\\n\\v\\f\\r \\u0085\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000]';
const outerSpace = new RegExp(`^${space}+|${space}+$`, 'g');

/** Functions on strings. */
export const stringLibrary: Library = {
  contains: { contains_string: ['string.(string) -> bool', (a, b) => (a as string).includes(b as string)] },
  endsWith: { ends_with_string: ['string.(string) -> bool', (a, b) => (a as string).endsWith(b as string)] },
  startsWith: { starts_with_string: ['string.(string) -> bool', (a, b) => (a as string).startsWith(b as string)] },
};

/** The strings extension, as far as Kubernetes enables it. */
export const stringExtensionLibrary: Library = {
  charAt: { string_char_at_int: ['string.(int) -> string', charAt] },
  indexOf: {
    string_index_of_string: ['string.(string) -> int', (a, b) => indexOf(a, b)],
    string_index_of_string_int: ['string.(string, int) -> int', indexOf],
  },
  lastIndexOf: {
    string_last_index_of_string: ['string.(string) -> int', (a, b) => lastIndexOf(a, b)],
    string_last_index_of_string_int: ['string.(string, int) -> int', lastIndexOf],
  },
  join: {
    list_join: ['list(string).() -> string', (a) => join(a)],
    list_join_string: ['list(string).(string) -> string', join],
  },
  lowerAscii: {
    string_lower_ascii: ['string.() -> string', (a) => (a as string).replace(/[A-Z]/g, (c) => c.toLowerCase())],
  },
  upperAscii: {
    string_upper_ascii: ['string.() -> string', (a) => (a as string).replace(/[a-z]/g, (c) => c.toUpperCase())],
  },
  replace: {
    string_replace_string_string: ['string.(string, string) -> string', (a, b, c) => replace(a, b, c)],
    string_replace_string_string_int: ['string.(string, string, int) -> string', replace],
  },
  split: {
    string_split_string: ['string.(string) -> list(string)', (a, b) => split(a, b)],
    string_split_string_int: ['string.(string, int) -> list(string)', split],
  },
  substring: {
    string_substring_int: ['string.(int) -> string', (a, b) => substring(a, b)],
    string_substring_int_int: ['string.(int, int) -> string', substring],
  },
  trim: { string_trim: ['string.() -> string', (a) => (a as string).replace(outerSpace, '')] },
  format: { string_format: ['string.(list(dyn)) -> string', (a, b) => formatString(a as string, b as CelList)] },
  'strings.quote': { strings_quote: ['(string) -> string', (a) => quote(a as string)] },
};
