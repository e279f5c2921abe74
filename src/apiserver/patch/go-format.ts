import type { Json } from '../../schema/index.ts';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`. Some error messages clients know contain it. */
export function printGoValue(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (typeof value === 'object') {
    const entries = Object.keys(value).sort();
    return `map[${entries.map((key) => `${key}:${printGoValue(value[key])}`).join(' ')}]`;
  }
  return typeof value === 'number' ? printGoNumber(value) : String(value);
}

/** A JSON value as Go's `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function printGoSyntax(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(printGoSyntax).join(', ')}}`;
  if (typeof value === 'object') {
    const entries = Object.keys(value).sort();
    return `map[string]interface {}{${entries.map((key) => `${JSON.stringify(key)}:${printGoSyntax(value[key])}`).join(', ')}}`;
  }
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? printGoNumber(value) : String(value);
}

/** The Go type a decoded JSON value has: `string`, `int64`, `map[string]interface {}`. */
export function goTypeOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return Number.isInteger(value) ? 'int64' : 'float64';
  }
}

function printGoNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  // Go switches to an exponent at 21 digits and pads it to two.
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

/** JSON as Go writes it: the characters HTML minds are escaped. */
export function stringifyGo(value: Json): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
