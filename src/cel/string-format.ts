import { compareStrings } from './equality.ts';
import { CelError } from './errors.ts';
import { formatDouble } from './number-format.ts';
import { formatDuration, formatTimestamp } from './time.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  typeNameOf,
  type Value,
} from './values.ts';

/** One `%` clause of a format string. */
export interface FormatClause {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly argument: number;
}

const verbs = 'sdfebxXo';
const defaultPrecision = 6;

/** What a clause accepts, in the words of its error. */
export const clauseErrors: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** Goes through a format string: text is passed on, each clause is handed out. Throws where the string is malformed. */
export function scanFormat(
  format: string,
  argumentCount: number,
  handle: { text(text: string): void; clause(clause: FormatClause): void },
): void {
  let argument = 0;
  for (let i = 0; i < format.length; ) {
    const percent = format.indexOf('%', i);
    if (percent < 0) {
      handle.text(format.slice(i));
      return;
    }
    handle.text(format.slice(i, percent));
    if (format[percent + 1] === '%') {
      handle.text('%');
      i = percent + 2;
      continue;
    }
    if (percent + 1 >= format.length && argument < argumentCount) throw new CelError('unexpected end of string');
    if (argument >= argumentCount) throw new CelError(`index ${argument} out of range`);
    const { verb, precision, end } = readClause(format, percent + 1);
    handle.clause({ verb, precision, argument });
    argument++;
    i = end;
  }
}

function readClause(format: string, start: number): { verb: string; precision: number | undefined; end: number } {
  const [, dot, digits = ''] = /^(\.)?(\d*)/.exec(format.slice(start)) ?? [];
  const at = dot === undefined ? start : start + 1 + digits.length;
  const problem = 'could not parse formatting clause: ';
  if (dot !== undefined) {
    const precisionProblem = `${problem}error while parsing precision: `;
    if (at >= format.length) throw new CelError(`${precisionProblem}could not find end of precision specifier`);
    if (digits === '') {
      throw new CelError(
        `${precisionProblem}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
      );
    }
  }
  const verb = format[at] as string;
  if (!verbs.includes(verb)) throw new CelError(`${problem}unrecognized formatting clause "${verb}"`);
  return { verb, precision: dot === undefined ? undefined : Number(digits), end: at + 1 };
}

/** `format.format(args)`. */
export function formatString(format: string, args: CelList): string {
  let result = '';
  scanFormat(format, args.size, {
    text: (text) => {
      result += text;
    },
    clause: ({ verb, precision, argument }) => {
      result += formatClause(verb, precision ?? defaultPrecision, args.get(argument));
    },
  });
  return result;
}

function formatClause(verb: string, precision: number, value: Value): string {
  const formatted = clauseText(verb, precision, value);
  if (formatted !== undefined) return formatted;
  throw new CelError(`error during formatting: ${clauseErrors[verb]}, was given ${typeNameOf(value)}`);
}

function clauseText(verb: string, precision: number, value: Value): string | undefined {
  switch (verb) {
    case 's':
      return plainText(value);
    case 'd':
      return integerOf(value)?.toString();
    case 'f':
      return fixed(value, precision);
    case 'e':
      // The precision of this clause has always been taken for a width.
      return scientific(value)?.padStart(precision);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integerOf(value)?.toString(2);
    case 'o':
      return integerOf(value)?.toString(8);
    default: {
      const hex = hexOf(value);
      return verb === 'X' ? hex?.toUpperCase() : hex;
    }
  }
}

function integerOf(value: Value): number | bigint | undefined {
  if (isInt(value)) return value;
  return value instanceof CelUint ? value.value : undefined;
}

function hexOf(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerOf(value)?.toString(16);
}

const wordDoubles: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function doubleOf(value: Value): number | undefined {
  if (value instanceof CelDouble) return value.value;
  return typeof value === 'string' ? wordDoubles.get(value) : undefined;
}

// Clauses for doubles are printed for the locale en-US: digits in groups, infinity as a sign.
function fixed(value: Value, precision: number): string | undefined {
  const double = doubleOf(value);
  if (double === undefined) return undefined;
  if (Number.isNaN(double)) return 'NaN';
  if (!Number.isFinite(double)) return double > 0 ? '∞' : '-∞';
  const digits = Math.min(precision, 100);
  const rounding = { minimumFractionDigits: digits, maximumFractionDigits: digits, roundingMode: 'halfEven' } as const;
  return new Intl.NumberFormat('en-US', rounding).format(double);
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: Value): string | undefined {
  const double = doubleOf(value);
  if (double === undefined) return undefined;
  if (Number.isNaN(double)) return 'NaN';
  if (!Number.isFinite(double)) return double > 0 ? '∞' : '-∞';
  const [mantissa = '', exponent = '0'] = double.toExponential(defaultPrecision).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]).join('');
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${raised}`;
}

function plainText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelList) return `[${value.toArray().map(literalText).join(', ')}]`;
  if (value instanceof CelMap) return mapText(value);
  return undefined;
}

function mapText(map: CelMap): string {
  const pairs = map.keys().map((key) => {
    const isKey = typeof key === 'string' || typeof key === 'boolean' || isInt(key) || key instanceof CelUint;
    if (!isKey) throw formattingError(`no formatting function for map key of type ${typeNameOf(key)}`);
    return [literalText(key), literalText(map.find(key) as Value)] as const;
  });
  pairs.sort(([a], [b]) => compareStrings(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** A value inside a list or map, written so that it could be pasted into an expression. */
function literalText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString('utf8'))}`;
  if (value instanceof CelDouble) return literalDouble(value.value);
  if (value instanceof CelDuration) return `duration("${formatDuration(value)}")`;
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(value)}")`;
  const text = plainText(value);
  if (text === undefined) throw formattingError(`no formatting function for ${typeNameOf(value)}`);
  return text;
}

function literalDouble(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return Math.abs(value) < 1e21 ? value.toFixed(defaultPrecision) : `${BigInt(value)}.000000`;
}

function formattingError(message: string): CelError {
  return new CelError(`error during formatting: ${message}`);
}
