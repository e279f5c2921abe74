import type { JsonObject, JsonValue } from './condition.ts';

/** JSON text in which equal values are equal texts, however their members were ordered. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

/** Reads a JSON object that the engine wrote. */
export function parseObject(text: string): JsonObject {
  return text === '{}' ? {} : (JSON.parse(text) as JsonObject);
}

/** Reads a JSON list that the engine wrote. */
export function parseList<T>(text: string | null): readonly T[] {
  return text === null || text === '[]' ? [] : (JSON.parse(text) as T[]);
}
