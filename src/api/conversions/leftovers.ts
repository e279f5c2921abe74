import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { parseGoDuration } from './go-duration.ts';

/**
 * Gives back what an earlier conversion could not carry. `saved` is the object as it was before that conversion, `base`
 * is what became of it on the way there and back, `current` is what comes back now. Where nothing was changed
 * meanwhile, the saved value is taken; where something was, the change wins.
 */
export function restoreLeftovers(current: Json, base: Json, saved: Json): Json {
  if (isDeepStrictEqual(current, base)) return structuredClone(saved);
  if (isJsonObject(current) && isJsonObject(base) && isJsonObject(saved)) return restoreObject(current, base, saved);
  if (Array.isArray(current) && Array.isArray(base) && Array.isArray(saved)) return restoreList(current, base, saved);
  return current;
}

function restoreObject(current: JsonObject, base: JsonObject, saved: JsonObject): JsonObject {
  // A reference that names another object now is another reference: nothing of the old one belongs to it.
  if (typeof base.name === 'string' && current.name !== base.name) return current;
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(current)) {
    const [was, before] = [base[name], saved[name]];
    if (was === undefined) result[name] = value;
    else if (before !== undefined) result[name] = restoreLeftovers(value, was, before);
    else if (!isDeepStrictEqual(value, was)) result[name] = value;
  }
  for (const [name, value] of Object.entries(saved)) {
    const wasLost = !Object.hasOwn(base, name) && !Object.hasOwn(current, name);
    if (wasLost) result[name] = structuredClone(value);
  }
  return result;
}

function restoreList(current: Json[], base: Json[], saved: Json[]): Json[] {
  if (base.length !== saved.length) return current;
  const names = base.map(nameOf);
  return current.map((item) => {
    const same = base.findIndex((other) => isDeepStrictEqual(other, item));
    const index = same >= 0 ? same : names.findIndex((name) => name !== undefined && name === nameOf(item));
    const [was, before] = [base[index], saved[index]];
    return was === undefined || before === undefined ? item : restoreLeftovers(item, was, before);
  });
}

function nameOf(item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  return typeof item.name === 'string' ? item.name : undefined;
}

/** Whether everything of `wanted` is in `got`. With `isLenient`, an empty value may be missing: it says nothing. */
export function covers(got: Json | undefined, wanted: Json, options: { isLenient: boolean }): boolean {
  if (got === undefined) return options.isLenient && isEmpty(wanted);
  if (isJsonObject(wanted)) {
    return isJsonObject(got) && Object.entries(wanted).every(([name, value]) => covers(got[name], value, options));
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) return false;
    return wanted.every((value, index) => covers(got[index], value, options));
  }
  return got === wanted || isSameDuration(got, wanted);
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isEmpty);
}

// `10m` comes back as `10m0s`, which Go's own types do too.
function isSameDuration(a: Json, b: Json): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const ns = parseGoDuration(a);
  return ns !== undefined && ns === parseGoDuration(b);
}
