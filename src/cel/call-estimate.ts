import type { Expr } from './ast.ts';
import { regexFactor, traversalFactor } from './call-cost.ts';
import { either, exactly, plus, type Range, scaled, sumOf, times, unbounded } from './size-range.ts';
import { type CelType, typeParameters } from './types.ts';

/** An argument as far as it is known before running. */
export interface Argument {
  readonly expr: Expr;
  readonly type: CelType;
  /** Its size: computed, given by the schema, or unknown. */
  readonly size: Range;
  /** The size of its elements, where it is a list of known place in the schema. */
  readonly elementSize: Range;
}

/** What a call costs beyond its arguments, and how large its result is. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** A call to estimate; the target of a member function is not among the arguments. */
export interface EstimatedCall {
  readonly overloadId: string;
  readonly target: Argument | undefined;
  readonly args: readonly Argument[];
}

type Estimator = (call: EstimatedCall) => CallEstimate | undefined;

const one: Estimator = () => ({ cost: exactly(1) });

const firstSize = ({ args }: EstimatedCall): Range | undefined => args[0]?.size;

/** Reading through the first argument. */
const reading =
  (factor: number): Estimator =>
  (call) => {
    const size = firstSize(call);
    return size && { cost: scaled(size, factor) };
  };

/** Going through the target and returning at most as much. */
const copying: Estimator = ({ target }) => target && { cost: scaled(target.size, traversalFactor), size: target.size };

const parsingUrl: Estimator = (call) => {
  const size = firstSize(call);
  return size && { cost: scaled(size, traversalFactor), size };
};

/** Comparing all elements of a list, or the characters of a string. */
const comparingAll: Estimator = ({ target }) => {
  if (target === undefined) return undefined;
  const [element] = typeParameters(target.type);
  if (element === undefined) return { cost: scaled(target.size, traversalFactor) };
  const isText = element.kind === 'string' || element.kind === 'bytes';
  const each = isText ? plus(exactly(1), scaled(target.elementSize, traversalFactor)) : exactly(1);
  return { cost: times(target.size, each) };
};

const searching: Estimator = ({ target, args: [pattern] }) => {
  if (target === undefined || pattern === undefined) return undefined;
  const text = scaled(plus(target.size, exactly(1)), traversalFactor);
  return { cost: times(text, scaled(pattern.size, regexFactor)), size: { min: 0, max: target.size.max } };
};

/** The longest result replaces the smallest pieces by the largest, the shortest the other way round. */
const replacing: Estimator = ({ target, args: [old, replacement] }) => {
  if (target === undefined || old === undefined || replacement === undefined) return undefined;
  const { size } = target;
  const longest = replaced(size.max, old.size.min, replacement.size.max <= old.size.min);
  const shortest = replaced(size.min, old.size.max, old.size.max <= replacement.size.min);
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  return { cost: scaled(size, 2 * traversalFactor), size: plus(times(count, replacement.size), kept) };
};

function replaced(length: number, piece: number, isNoGain: boolean): { count: number; kept: number } {
  if (piece === 0) return { count: Math.min(length + 1, unbounded), kept: length };
  return isNoGain ? { count: 0, kept: length } : { count: Math.ceil(length / piece), kept: 0 };
}

const splitting: Estimator = ({ target, args }) => {
  if (target === undefined) return undefined;
  const limit = args[1]?.expr;
  const isFixed = limit?.kind === 'literal' && typeof limit.value === 'number';
  // A negative limit is read as an unsigned number, which is as good as none.
  const max = isFixed ? ((limit.value as number) < 0 ? unbounded : (limit.value as number)) : target.size.max;
  return { cost: scaled(target.size, 2 * traversalFactor), size: { min: 0, max } };
};

const joining: Estimator = ({ target, args: [separator] }) => {
  if (target === undefined) return undefined;
  // Without an element type nothing is known of the elements, which counts as nothing.
  let size = typeParameters(target.type).length === 0 ? exactly(0) : times(target.size, target.elementSize);
  if (separator !== undefined) {
    const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
    size = plus(size, times(separator.size, gaps));
  }
  return { cost: scaled(size, traversalFactor), size };
};

const addressBytes: Range = { min: 4, max: 16 };

const containing =
  (extra: Range): Estimator =>
  ({ overloadId, args: [other] }) => {
    if (other === undefined) return undefined;
    const compared = plus(scaled(plus(addressBytes, addressBytes), traversalFactor), extra);
    const parsed = overloadId.endsWith('_string') ? scaled(other.size, traversalFactor) : exactly(0);
    return { cost: plus(compared, parsed) };
  };

const selecting: Estimator = ({ args: [selector] }) =>
  selector && {
    cost: sumOf([exactly(10), scaled(selector.size, traversalFactor), scaled(scaled(selector.size, 0.5), 50)]),
  };

const maxFormatRegex = 128;

const validating: Estimator = ({ args: [text] }) =>
  text && { cost: scaled(scaled(text.size, traversalFactor), maxFormatRegex * regexFactor) };

const equalOpaques: Estimator = ({ args: [left, right] }) => {
  if (left?.type.kind !== 'opaque' || right?.type.kind !== 'opaque' || left.type.name !== right.type.name)
    return undefined;
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, traversalFactor) };
  if (left.type.name === 'kubernetes.URL')
    return { cost: scaled({ min: 1, max: Math.max(1, right.size.max) }, traversalFactor) };
  return { cost: exactly(1) };
};

const everyPair =
  (factor: number): Estimator =>
  ({ args: [left, right] }) =>
    left && right && { cost: plus(scaled(times(left.size, right.size), factor), exactly(1)) };

const same = (names: string, estimator: Estimator): Record<string, Estimator> =>
  Object.fromEntries(names.split(' ').map((name) => [name, estimator]));

const byFunction: Readonly<Record<string, Estimator>> = {
  ...same('isSorted sum max min indexOf lastIndexOf', comparingAll),
  url: parsingUrl,
  ...same('lowerAscii upperAscii substring trim', copying),
  replace: replacing,
  split: splitting,
  join: joining,
  ...same('find findAll', searching),
  ...same('cidr isIP isCIDR quantity isQuantity semver isSemver', reading(traversalFactor)),
  ip: (call) => (call.overloadId === 'cidr_ip' ? { cost: exactly(1) } : reading(traversalFactor)(call)),
  'ip.isCanonical': reading(2 * traversalFactor),
  ...same(
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
    one,
  ),
  containsIP: containing(exactly(0)),
  containsCIDR: containing(plus(scaled(addressBytes, traversalFactor), exactly(1))),
  validate: validating,
  check: () => ({ cost: exactly(350_000) }),
  ...same('fieldSelector labelSelector', selecting),
  '_==_': equalOpaques,
  'sets.contains': everyPair(1),
  'sets.intersects': everyPair(1),
  'sets.equivalent': everyPair(2),
};

const allocating = (factor: number, size: Range): CallEstimate => ({
  cost: plus(scaled(size, factor), exactly(11)),
  size,
});

function literalInt(argument: Argument | undefined, otherwise: number): number {
  const expr = argument?.expr;
  return expr?.kind === 'literal' && typeof expr.value === 'number' ? Math.max(0, expr.value) : otherwise;
}

function sorting(list: Argument, overloadId: string): CallEstimate {
  const isText = /^list_(string|bytes)_/.test(overloadId);
  return allocating(isText ? 2 + traversalFactor : 2, times(list.size, list.size));
}

const slicing: Estimator = ({ target, args: [start, end] }) => {
  if (target === undefined) return undefined;
  const length = literalInt(end, target.size.max) - literalInt(start, 0);
  // A negative length is read as an unsigned number.
  return allocating(1, exactly(length < 0 ? unbounded : length));
};

const byStoredFunction: Readonly<Record<string, Estimator>> = {
  slice: slicing,
  'lists.range': ({ args }) => allocating(1, exactly(literalInt(args[0], unbounded))),
  reverse: ({ target }) => target && allocating(1, target.size),
  flatten: ({ target, args }) =>
    target && allocating(args.length === 0 ? 1 : literalInt(args[0], unbounded), target.size),
  distinct: ({ target }) => target && allocating(2, times(target.size, target.size)),
  sort: ({ target, overloadId }) => target && sorting(target, overloadId),
  '@sortByAssociatedKeys': ({ args: [keys], overloadId }) => keys && sorting(keys, overloadId),
};

const comparing: Estimator = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined) return undefined;
  const max = Math.min(left.size.max, right.size.max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, traversalFactor) };
};

const concatenating: Estimator = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined) return undefined;
  const size = plus(left.size, right.size);
  return { cost: scaled(size, traversalFactor), size };
};

// Every character may need an escape. Twice the largest number and two is, in 64 bits, nothing.
function quotedSize({ min, max }: Range): Range {
  return { min: min + 2, max: max === unbounded ? 0 : max * 2 + 2 };
}

const byOverload: Readonly<Record<string, Estimator>> = {
  string_format: ({ target }) => target && { cost: scaled(target.size, traversalFactor) },
  string_to_bytes: ({ args: [text] }) =>
    text && {
      cost: scaled(text.size, traversalFactor),
      size: { min: text.size.min, max: Math.min(text.size.max * 4, unbounded) },
    },
  bytes_to_string: ({ args: [bytes] }) =>
    bytes && {
      cost: scaled(bytes.size, traversalFactor),
      size: { min: Math.floor(bytes.size.min / 4), max: bytes.size.max },
    },
  strings_quote: ({ args: [text] }) =>
    text && { cost: scaled(text.size, traversalFactor), size: quotedSize(text.size) },
  ...same('starts_with_string ends_with_string', reading(traversalFactor)),
  in_list: ({ args: [, list] }) => list && { cost: scaled(list.size, 1) },
  matches_string: ({ target, args: [pattern] }) =>
    target &&
    pattern && {
      cost: times(scaled(plus(target.size, exactly(1)), traversalFactor), scaled(pattern.size, regexFactor)),
    },
  contains_string: ({ target, args: [piece] }) =>
    target && piece && { cost: times(scaled(target.size, traversalFactor), scaled(piece.size, traversalFactor)) },
  ...same('add_string add_bytes', concatenating),
  add_list: ({ args: [left, right] }) => left && right && { cost: exactly(1), size: plus(left.size, right.size) },
  ...same('less_string greater_string less_equals_string greater_equals_string equals not_equals', comparing),
  ...same('less_bytes greater_bytes less_equals_bytes greater_equals_bytes', comparing),
};

/** The estimate of one overload of a function; one for calls of which nothing special is known. */
export function estimateCall(name: string, call: EstimatedCall): CallEstimate {
  const estimate = byFunction[name]?.(call) ?? byStoredFunction[name]?.(call) ?? byOverload[call.overloadId]?.(call);
  return estimate ?? { cost: exactly(1) };
}

/** Several overloads may be meant; the estimate spans them all. */
export function eitherCall(a: CallEstimate, b: CallEstimate): CallEstimate {
  const size = a.size === undefined ? b.size : b.size === undefined ? a.size : either(a.size, b.size);
  return { cost: either(a.cost, b.cost), ...(size === undefined ? {} : { size }) };
}
