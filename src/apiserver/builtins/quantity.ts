import { maxQuantityLength } from '../../schema/index.ts';

/** An amount such as `1.5Gi` or `100m`: nanos of the unit, and the family of suffixes it was written with. */
export interface Quantity {
  /** A thousand-millionth of the unit is the finest there is. */
  readonly nanos: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const nano = 1_000_000_000n;
/** Amounts with a binary suffix end where 64 bits do. */
const maxBinary = (2n ** 63n - 1n) * nano;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const pattern = /^([+-]?)(?=[0-9.])(\d*)(?:\.(\d*))?(?:([a-zA-Z]+)([+-]?\d*))?$/;

/** Reads a quantity; undefined when it is not one. */
export function parseQuantity(text: string): Quantity | undefined {
  const trimmed = text.trim();
  const match = trimmed.length > maxQuantityLength ? null : pattern.exec(trimmed);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', digits = ''] = match;
  const unit = unitOf(suffix, digits);
  if (unit === undefined) return undefined;
  const scaled = BigInt(`${whole}${fraction}` || '0') * unit.nanos;
  const divisor = 10n ** BigInt(fraction.length) * unit.divisor;
  // Whoever asks for a little gets the smallest amount there is.
  const exact = (scaled + divisor - 1n) / divisor;
  const nanos = unit.format === 'binary' && exact > maxBinary ? maxBinary : exact;
  return { nanos: sign === '-' ? -nanos : nanos, format: unit.format };
}

function unitOf(
  suffix: string,
  digits: string,
): { nanos: bigint; divisor: bigint; format: Quantity['format'] } | undefined {
  if ((suffix === 'e' || suffix === 'E') && digits !== '' && digits !== '+' && digits !== '-') {
    // Beyond these nothing changes: the number before it has at most a thousand digits, and no machine has more.
    const exponent = Math.max(-2 * maxQuantityLength, Math.min(400, Number(digits)));
    const power = 10n ** BigInt(Math.abs(exponent));
    return exponent < 0
      ? { nanos: nano, divisor: power, format: 'exponent' }
      : { nanos: nano * power, divisor: 1n, format: 'exponent' };
  }
  if (digits !== '') return undefined;
  const binary = suffix === '' ? -1 : binarySuffixes.indexOf(suffix);
  if (binary > 0) return { nanos: nano * 1024n ** BigInt(binary), divisor: 1n, format: 'binary' };
  const decimal = decimalSuffixes.indexOf(suffix);
  return decimal < 0 ? undefined : { nanos: 1000n ** BigInt(decimal), divisor: 1n, format: 'decimal' };
}

/** The one spelling of a quantity, with the largest suffix that needs no fraction; other texts stay as they are. */
export function canonicalQuantity(text: string): string {
  const quantity = parseQuantity(text);
  return quantity === undefined ? text : quantityText(quantity);
}

/** Writes a quantity. */
export function quantityText({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const isWhole = nanos % nano === 0n;
  // Less than 1024 in all, or a fraction: binary suffixes would not fit.
  if (format === 'binary' && isWhole && abs(nanos) >= 1024n * nano) return binaryText(nanos / nano);
  let power = 0;
  let rest = nanos;
  while (rest % 1000n === 0n && (format === 'exponent' || power < decimalSuffixes.length - 1)) {
    rest /= 1000n;
    power++;
  }
  if (format !== 'exponent') return `${rest}${decimalSuffixes[power]}`;
  return power === 3 ? String(rest) : `${rest}e${(power - 3) * 3}`;
}

function binaryText(amount: bigint): string {
  let power = 0;
  let rest = amount;
  while (rest % 1024n === 0n && power < binarySuffixes.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixes[power]}`;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Below, at or above zero as the first quantity is less than, equal to or more than the second. */
export function compareQuantities(left: string, right: string): number {
  const [a, b] = [parseQuantity(left)?.nanos ?? 0n, parseQuantity(right)?.nanos ?? 0n];
  return a < b ? -1 : a > b ? 1 : 0;
}
