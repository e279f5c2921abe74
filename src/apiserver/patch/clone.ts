import type { Json, JsonObject } from '../../schema/index.ts';

/** A deep copy of JSON, several times faster than structuredClone. */
export function copyJson<T extends Json>(value: T): T {
  return copy(value) as T;
}

function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) items[i] = copy(value[i] as Json);
    return items;
  }
  const out: JsonObject = {};
  for (const key in value) setOwn(out, key, copy(value[key] as Json));
  return out;
}

/** Sets a key of JSON data; `__proto__` is a key like any other there. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** The value of a key of JSON data; what every object inherits, such as `constructor`, is not data. */
export function getOwn(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
