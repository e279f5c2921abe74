import type { Json, JsonObject } from '../../schema/index.ts';
import { stringifyGo } from '../patch/go-format.ts';
import { type ElementOrder, type FieldSet, LEAF } from './field-set.ts';

/** The element of a named field. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The element of a list item known by its value. */
export function valueElement(value: Json): string {
  return `v:${escapedJson(value)}`;
}

/** The element of a list item known by its keys; the names must be sorted already. */
export function keyElement(keys: readonly (readonly [name: string, value: Json])[]): string {
  return `k:{${keys.map(([name, value]) => `${JSON.stringify(name)}:${escapedJson(value)}`).join(',')}}`;
}

// The library that writes elements spells out control characters, so the spelling is part of the element's text.
const shortEscape = /\\\\|\\[bf]/g;

function escapedJson(value: Json): string {
  const text = stringifyGo(value);
  if (!text.includes('\\')) return text;
  return text.replace(shortEscape, (found) => (found === '\\b' ? '\\u0008' : found === '\\f' ? '\\u000c' : found));
}

/** How an element reads in an error message: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(element: string): string {
  const body = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${body}`;
    case 'k': {
      const keys = JSON.parse(body) as JsonObject;
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(body))}]`;
    default:
      return `[${body}]`;
  }
}

/** A whole path as an error message shows it: `.spec.ports[name="http"].port`. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join('');
}

/** Elements as custom resources show them: by their text. */
export const textOrder: ElementOrder = (keys) => keys.sort();

/** Elements as built-in kinds show them: named fields, then keys and values by what they hold, so that 80 < 443. */
export const valueOrder: ElementOrder = (keys) => {
  keys.sort();
  const last = keys[keys.length - 1] ?? '';
  return last.startsWith('k:') || last.startsWith('v:') ? keys.sort(compareElements) : keys;
};

const kindRank: Record<string, number> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

function compareElements(a: string, b: string): number {
  const rank = (kindRank[a[0] ?? ''] ?? 9) - (kindRank[b[0] ?? ''] ?? 9);
  if (rank !== 0) return rank;
  if (a[0] === 'v') return compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
  if (a[0] === 'k') return compareKeys(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [leftName, leftValue] = left[i] as [string, Json];
    const [rightName, rightValue] = right[i] as [string, Json];
    if (leftName !== rightName) return leftName < rightName ? -1 : 1;
    const order = compareValues(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const typeRank: Record<string, number> = { number: 0, string: 1, boolean: 2, object: 3 };

function compareValues(a: Json, b: Json): number {
  const rank = (typeRank[typeof a] ?? 9) - (typeRank[typeof b] ?? 9);
  if (rank !== 0) return rank;
  if (a === null || b === null || typeof a === 'object' || typeof b === 'object') {
    const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Thrown for a `fieldsV1` that is not a field set. */
export class BadFieldSet extends Error {
  override readonly name = 'BadFieldSet';
}

/** Reads a client's `fieldsV1` into canonical form: known elements only, keys sorted, elements in order. */
export function parseFieldSet(fields: unknown, order: ElementOrder): FieldSet {
  const { '.': _, ...set } = parseNode(fields, order) ?? LEAF;
  return set;
}

function parseNode(node: unknown, order: ElementOrder): FieldSet | undefined {
  if (node === null) return undefined;
  if (typeof node !== 'object' || Array.isArray(node))
    throw new BadFieldSet(`expect { or n, but found ${JSON.stringify(node).slice(0, 1)}`);
  const source = node as Record<string, unknown>;
  const out = new Map<string, FieldSet>();
  let some = false;
  for (const key of Object.keys(source)) {
    const element = key === '.' ? '.' : canonicalElement(key);
    if (element === undefined) continue;
    some = true;
    out.set(element, element === '.' ? LEAF : (parseNode(source[key], order) ?? LEAF));
  }
  if (!some || (out.size === 1 && out.has('.'))) return LEAF;
  return Object.fromEntries(order([...out.keys()]).map((key) => [key, out.get(key) as FieldSet]));
}

/** The element in canonical form; undefined for a kind of element this version does not know. */
function canonicalElement(key: string): string | undefined {
  if (key.length < 2) throw new BadFieldSet('key must be 2 characters long:');
  if (key[1] !== ':') throw new BadFieldSet(`missing colon: ${key}`);
  const body = key.slice(2);
  try {
    switch (key[0]) {
      case 'f':
        return key;
      case 'v':
        return valueElement(JSON.parse(body));
      case 'k': {
        const keys = Object.entries(JSON.parse(body) as JsonObject);
        return keyElement(keys.sort(([a], [b]) => (a < b ? -1 : 1)));
      }
      case 'i':
        return `i:${Number.parseInt(body, 10)}`;
      default:
        return undefined;
    }
  } catch (cause) {
    throw new BadFieldSet(`parsing key as path element: ${key}`, { cause });
  }
}
