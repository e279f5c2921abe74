import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { badRequest } from '../status.ts';
import { copyJson, setOwn } from './clone.ts';
import { jsonTypeOf } from './json-patch.ts';

/**
 * JSON merge patch (RFC 7386): null takes away, objects merge, anything else replaces. Shares nothing with its
 * inputs. Throws 400 for a patch that is no object.
 */
export function applyMergePatch(doc: Json, patch: Json): Json {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    const problem = `json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding patch: ${problem}`);
  }
  return isJsonObject(doc) ? mergeMaps(doc, patch) : withoutNulls(patch);
}

function mergeMaps(doc: JsonObject, patch: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key in doc) {
    const change = Object.hasOwn(patch, key) ? patch[key] : undefined;
    if (change === null) continue;
    const current = doc[key] as Json;
    setOwn(out, key, change === undefined ? copyJson(current) : mergeValues(current, change));
  }
  for (const key in patch) {
    const added = patch[key] as Json;
    if (added !== null && !Object.hasOwn(doc, key)) setOwn(out, key, withoutNulls(added));
  }
  return out;
}

function mergeValues(current: Json, change: Json): Json {
  if (!isJsonObject(current)) return withoutNulls(change);
  return isJsonObject(change) ? mergeMaps(current, change) : copyJson(change);
}

/** Where there was nothing to merge into, nulls have nothing to take away; also inside lists, unlike the RFC. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const key in value) {
    const entry = value[key] as Json;
    if (entry !== null) setOwn(out, key, withoutNulls(entry));
  }
  return out;
}
