import type { Json, JsonObject } from '../../schema/index.ts';

/** Deep equality of JSON values; a key that is undefined counts as absent. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalMaps(a, b);
}

function equalLists(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
  return true;
}

function equalMaps(a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    count++;
    if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) count--;
  return count === 0;
}
