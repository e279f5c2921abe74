import { equalJson, isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';

/** The JSON merge patch (RFC 7386) that makes one object of another; undefined when they are equal. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = before[key];
    const next = after[key];
    if (next === undefined) patch[key] = null;
    else if (isJsonObject(old) && isJsonObject(next)) {
      const inner = mergePatchBetween(old, next);
      if (inner !== undefined) patch[key] = inner;
    } else if (old === undefined || !equalJson(old, next)) patch[key] = next;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What a merge patch makes of an object. */
export function applyMergePatch(object: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isJsonObject(value)) result[key] = applyMergePatch(objectOr(result[key]), value);
    else result[key] = value;
  }
  return result;
}

function objectOr(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Fields the server keeps and that tell nothing about who wants what. */
const bookkeeping = new Set(['metadata.resourceVersion', 'metadata.generation', 'metadata.managedFields']);

/** The paths that two merge patches both write, each to something else. */
export function overlappingPaths(left: JsonObject, right: JsonObject, at: readonly string[] = []): string[] {
  return Object.keys(left)
    .filter((key) => key in right)
    .flatMap((key) => {
      const path = [...at, key];
      const [a, b] = [left[key], right[key]];
      if (a === undefined || b === undefined || bookkeeping.has(path.join('.')) || equalJson(a, b)) return [];
      return isJsonObject(a) && isJsonObject(b) ? overlappingPaths(a, b, path) : [path.join('.')];
    });
}
