import { codePointCount } from './libraries/lists.ts';
import { CelList, CelMap, CelOpaque, CelOptional, type Value } from './values.ts';

/** What a call costs: always the same, or by the size of its arguments and result. */
export type CallCost = number | ((args: readonly Value[], result: Value) => number);

/** Cost per character of going through a string, and per character of a regular expression. */
export const traversalFactor = 0.1;
export const regexFactor = 0.25;

/** The size that costs count: characters, bytes, elements, entries; 1 for everything else. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : sizeOf(value.value);
  return value instanceof CelOpaque ? (value.size ?? 1) : 1;
}

/** The cost of walking through all of a value. */
function traversal(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * traversalFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor);
  if (value instanceof CelList) return value.toArray().reduce((sum: number, item) => sum + traversal(item), 0);
  if (value instanceof CelMap) {
    return value.keys().reduce((sum: number, key) => sum + traversal(key) + traversal(value.find(key) as Value), 0);
  }
  return 1;
}

const share = (size: number, factor: number): number => Math.ceil(size * factor);

const first =
  (factor: number): CallCost =>
  (args) =>
    share(sizeOf(args[0] as Value), factor);

const searching: CallCost = ([text, pattern]) =>
  share(1 + sizeOf(text as Value), traversalFactor) * share(sizeOf(pattern as Value), regexFactor);

const smaller: CallCost = ([a, b]) => share(Math.min(sizeOf(a as Value), sizeOf(b as Value)), traversalFactor);

const equality: CallCost = (args, result) =>
  args[0] instanceof CelOpaque ? 1 : (smaller as Exclude<CallCost, number>)(args, result);

const everyPair =
  (factor: number): CallCost =>
  ([a, b]) =>
    factor * sizeOf(a as Value) * sizeOf(b as Value) + 1;

function containment(id: string, extra: (size: number) => number): CallCost {
  return ([cidr, other]) => {
    const size = sizeOf(cidr as Value);
    const parse = id.endsWith('_string') ? share(sizeOf(other as Value), traversalFactor) : 0;
    return share(2 * size, traversalFactor) + extra(size) + parse;
  };
}

function selfComparison(list: CelList): number {
  const first = list.size === 0 ? null : list.get(0);
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return 11 + Math.floor(list.size * list.size * (isText ? 2 + traversalFactor : 2));
}

/** A list, a pass over the text, and for every second character a requirement with its list of values. */
function selectorCost(length: number): number {
  return 10 + share(length, traversalFactor) + Math.ceil(length / 2) * 50;
}

/** A format knows how long the regular expression is that it stands for. */
export interface RegexSized {
  readonly regexSize: number;
}

const validation: CallCost = ([format, text]) =>
  share(1 + sizeOf(text as Value), traversalFactor) * share((format as unknown as RegexSized).regexSize, regexFactor);

const byFunction: Readonly<Record<string, CallCost>> = {
  ...costs(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], ([value]) => traversal(value as Value)),
  ...costs(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim'], first(traversalFactor)),
  ...costs(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], first(traversalFactor)),
  ...costs(['replace', 'split', 'ip.isCanonical'], first(2 * traversalFactor)),
  join: (_, result) => share(sizeOf(result), 2 * traversalFactor),
  ...costs(['find', 'findAll'], searching),
  validate: validation,
  '_==_': equality,
  // Two questions to the authorizer are all that one expression can afford.
  check: 350_000,
  ...costs(['fieldSelector', 'labelSelector'], ([, selector]) => selectorCost(sizeOf(selector as Value))),
  'sets.contains': everyPair(1),
  'sets.intersects': everyPair(1),
  'sets.equivalent': everyPair(2),
  ...costs(['slice', 'lists.range', 'reverse'], (_, result) => 11 + sizeOf(result)),
  flatten: ([list, depth]) => 11 + sizeOf(list as Value) * (depth === undefined ? 1 : Number(depth)),
  ...costs(['distinct', 'sort'], ([list]) => selfComparison(list as CelList)),
  '@sortByAssociatedKeys': ([, keys]) => selfComparison(keys as CelList),
};

const byOverload: Readonly<Record<string, CallCost>> = {
  string_to_ip: first(traversalFactor),
  cidr_contains_ip_string: containment('cidr_contains_ip_string', () => 0),
  cidr_contains_ip_ip: containment('cidr_contains_ip_ip', () => 0),
  cidr_contains_cidr_string: containment('cidr_contains_cidr_string', (size) => share(size, traversalFactor) + 1),
  cidr_contains_cidr: containment('cidr_contains_cidr', (size) => share(size, traversalFactor) + 1),
  ...costs(
    ['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'strings_quote', 'string_format'],
    first(traversalFactor),
  ),
  in_list: ([, list]) => sizeOf(list as Value),
  ...costs(
    ['less', 'greater', 'less_equals', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
    smaller,
  ),
  not_equals: smaller,
  ...costs(['add_string', 'add_bytes'], ([a, b]) => share(sizeOf(a as Value) + sizeOf(b as Value), traversalFactor)),
  matches_string: searching,
  contains_string: ([text, piece]) =>
    share(sizeOf(text as Value), traversalFactor) * share(sizeOf(piece as Value), traversalFactor),
};

function costs(names: readonly string[], cost: CallCost): Record<string, CallCost> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}

/** What a call of this function costs; the overload id is empty where only the run shows which one it is. */
export function callCost(name: string, overloadId: string): CallCost {
  return byFunction[name] ?? byOverload[overloadId] ?? 1;
}
