import type { Json } from './json.ts';
import { findJsonFault } from './json-scan.ts';

/** A parsed text, or why it could not be parsed. */
export type ParsedJson = { readonly value: Json } | { readonly error: string };

// Fewer bytes than this cannot hold nesting too deep to walk.
const shallowLength = 2000;

/**
 * Parses JSON as the API server does: the error is Go's. Integers between 2^53 and 2^63, which JavaScript would round
 * without a word, are refused.
 */
export function parseJson(text: string): ParsedJson {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    return { error: goJsonSyntaxError(text, cause) };
  }
  if (text.length > shallowLength) {
    const fault = isDeep(text) ? findJsonFault(text) : undefined;
    if (fault !== undefined) return { error: fault };
  }
  const integer = /[:[,]\s*-?\d{16}/.test(text) ? findRoundedInteger(text) : undefined;
  return integer === undefined ? { value } : { error: `integer ${integer} is not kept exactly beyond 2^53` };
}

/** The message of Go's encoding/json for a text that is not JSON. */
export function goJsonSyntaxError(text: string, cause?: unknown): string {
  return findJsonFault(text) ?? (cause instanceof Error ? cause.message : 'invalid JSON');
}

function isDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x5b || unit === 0x7b) {
      if (++depth > 1000) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return false;
}

function findRoundedInteger(text: string): string | undefined {
  let found: string | undefined;
  const look = (_key: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? '';
    const isUnsafe = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    // Past 64 bits Go reads a float as well, and both round alike.
    if (isUnsafe && BigInt.asIntN(64, BigInt(source)) === BigInt(source)) found ??= source;
    return value;
  };
  JSON.parse(text, look);
  return found;
}

/** So many fields that stand twice are named, as by the API server; with long paths, more would fill the memory. */
const maxDuplicates = 100;

/**
 * Paths of fields that stand twice in a JSON object, such as `spec.list[0].a`, each once and in order. The text must
 * be valid. With its parsed value at hand, a text without duplicates is told by counting keys on both sides.
 */
export function findDuplicateFields(text: string, value?: Json): string[] {
  if (value !== undefined && countKeys(text) === countFields(value)) return [];
  return listDuplicates(text);
}

function countKeys(text: string): number {
  let count = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    const end = endOfString(text, open);
    if (text.charCodeAt(skipSpace(text, end)) === 0x3a) count++;
    open = text.indexOf('"', end);
  }
  return count;
}

function countFields(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countFields(element);
    return count;
  }
  for (const key in value) {
    count++;
    const field = value[key] as Json;
    if (typeof field === 'object') count += countFields(field);
  }
  return count;
}

/** The index after the closing quote of the string that opens at the given one. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

interface Frame {
  readonly path: string;
  /** The keys seen, or the number of elements. */
  readonly keys: Set<string> | undefined;
  /** The keys that were seen twice. */
  readonly repeated: Set<string>;
  index: number;
  child: string;
}

function listDuplicates(text: string): string[] {
  const found = new Set<string>();
  const stack: Frame[] = [];
  for (let at = 0; at < text.length && found.size < maxDuplicates; at++) {
    const char = text.charAt(at);
    const top = stack.at(-1);
    if (char === '{' || char === '[') {
      stack.push({
        path: top?.child ?? '',
        keys: char === '{' ? new Set() : undefined,
        repeated: new Set(),
        index: 0,
        child: '',
      });
      enterElement(stack.at(-1));
    } else if (char === '}' || char === ']') {
      stack.pop();
    } else if (char === ',') {
      if (top !== undefined) top.index++;
      enterElement(top);
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (text.charCodeAt(skipSpace(text, end)) === 0x3a && top !== undefined)
        enterField(top, text.slice(at, end), found);
      at = end - 1;
    }
  }
  return [...found];
}

function enterElement(frame: Frame | undefined): void {
  if (frame !== undefined && frame.keys === undefined) frame.child = `${frame.path}[${frame.index}]`;
}

function enterField(frame: Frame, quoted: string, found: Set<string>): void {
  const key = JSON.parse(quoted) as string;
  frame.child = frame.path === '' ? key : `${frame.path}.${key}`;
  if (frame.keys?.has(key) === true && !frame.repeated.has(key)) {
    frame.repeated.add(key);
    found.add(frame.child);
  }
  frame.keys?.add(key);
}

/** Parses JSON and says which fields stand twice. */
export function parseStrict(text: string): { value: Json; duplicates: string[] } | { error: string } {
  const parsed = parseJson(text);
  return 'error' in parsed ? parsed : { ...parsed, duplicates: findDuplicateFields(text, parsed.value) };
}
