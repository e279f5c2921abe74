import type { Json } from './json.ts';

// Kubernetes error messages are written by Go's fmt, strconv and encoding/json. Clients and people compare them
// letter by letter, so the few places where JavaScript prints a value differently are levelled here.

const shortEscapes: Record<string, string> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const plainQuotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
// What Go's strconv.IsPrint accepts: letters, marks, numbers, punctuation, symbols and the ASCII space.
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Quotes a string as Go's `%q` does. */
export function goQuote(text: string): string {
  if (plainQuotable.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += quoteChar(char);
  return `${out}"`;
}

function quoteChar(char: string): string {
  const short = shortEscapes[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (printable.test(char)) return char;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

/** Prints a number as Go's `%v` does: whole numbers of 64 bits as int64, others as float64. */
export function goNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : goFloat(value);
}

/** Prints a number as Go's `%v` prints a float64: with an exponent from 1e+06 and below 1e-04. */
export function goFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Prints a value as Go's `encoding/json` does: sorted keys, no spaces, and `<`, `>`, `&` escaped. */
export function goJson(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return jsonString(value);
  if (typeof value === 'number') return jsonNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const fields = Object.keys(value).sort(compareBytes);
  return `{${fields.map((key) => `${jsonString(key)}:${goJson(value[key])}`).join(',')}}`;
}

// encoding/json and JavaScript agree on floats; only integers past 2^53 print differently.
function jsonNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : String(value);
}

const jsonEscapes: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

function jsonString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => jsonEscapes[char] ?? char);
}

/** Orders strings as Go does, by their UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogateOrder(x) - surrogateOrder(y);
  }
  return a.length - b.length;
}

// UTF-16 puts surrogates before U+E000..U+FFFF; UTF-8 puts them after.
function surrogateOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
