import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';
import { badRequest } from '../status.ts';
import { copyJson, getOwn, setOwn } from './clone.ts';
import { patchFailed } from './errors.ts';
import { goTypeOf, printGoValue } from './go-format.ts';
import { checkSameType, liveOrderAfter, mergeLists, orderItems } from './merge-lists.ts';
import { fieldPatch, patchSchemaOf } from './patch-schema.ts';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deleteFromList = '$deleteFromPrimitiveList';
const setOrder = '$setElementOrder';

/**
 * Strategic merge patch: like a merge patch, but lists the schema marks are merged by key or as a set, and the patch
 * may carry directives. Shares nothing with its inputs. Throws ApiError.
 */
export function applyStrategicMergePatch(doc: JsonObject, patch: JsonObject, schema: JsonSchema): JsonObject {
  return mergeMaps(copyJson(doc), copyJson(patch), patchSchemaOf(schema));
}

/** Merges the patch into the map; both are copies and may be changed. */
function mergeMaps(into: JsonObject, patch: JsonObject, schema: JsonSchema): JsonObject {
  if (patch[directive] !== undefined) return obeyDirective(patch);
  obeyRetainKeys(into, patch);
  for (const key of Object.keys(patch)) if (key.startsWith(setOrder)) obeySetOrder(into, patch, key, schema);
  for (const key of Object.keys(patch)) mergeField(into, key, patch[key] as Json, schema);
  return into;
}

function obeyDirective(patch: JsonObject): JsonObject {
  const { [directive]: order, ...rest } = patch;
  if (order === 'replace') return rest;
  if (order === 'delete') return {};
  throw patchFailed(`unknown patch type: ${printGoValue(order)} in map: ${printGoValue(patch)}`);
}

function obeyRetainKeys(into: JsonObject, patch: JsonObject): void {
  const keep = patch[retainKeys];
  if (keep === undefined) return;
  delete patch[retainKeys];
  if (!Array.isArray(keep)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set<Json>(keep);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromList) || key.startsWith(setOrder)) continue;
    if (!kept.has(key)) throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(into)) if (!kept.has(key)) delete into[key];
}

/** Merges a list together with the order the patch wants for it, then forgets both in the patch. */
function obeySetOrder(into: JsonObject, patch: JsonObject, key: string, schema: JsonSchema): void {
  const order = patch[key] as Json;
  delete patch[key];
  if (!Array.isArray(order)) throw wrongType('[]interface {}', order);
  const name = nameAfter(key, setOrder, 'invalid patch format of setElementOrder list');
  const current = listOrAbsent(into[name]);
  const change = listOrAbsent(patch[name]);
  const { strategy, mergeKey, inside } = fieldPatch(schema, name);
  checkOrder(change ?? [], order, mergeKey);
  if (current === undefined && change === undefined) return;
  const liveOrder = strategy === 'merge' ? liveOrderAfter(current ?? [], change ?? [], mergeKey) : (current ?? []);
  let merged = current ?? [];
  if (current === undefined) merged = withoutDirectives(change ?? []) as Json[];
  else if (change !== undefined) {
    merged = strategy === 'merge' ? mergeLists(current, change, { mergeKey, mergeItem: itemMerger(inside) }) : change;
  }
  checkSameType(current ?? [], change ?? []);
  into[name] = orderItems(merged, { wanted: order, live: liveOrder, mergeKey });
  delete patch[name];
}

function listOrAbsent(value: Json | undefined): Json[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType('[]interface {}', value);
}

/** The patch list must be a part of the order list, in the same order. */
function checkOrder(change: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || change.length === 0) return;
  const kept =
    mergeKey === '' ? change : change.filter((item) => !(isJsonObject(item) && item[directive] === 'delete'));
  let next = 0;
  for (const wanted of order) {
    while (next < kept.length && isDirective(kept[next] as Json)) next++;
    const item = kept[next];
    if (item === undefined) break;
    if (keyOf(item, mergeKey) === keyOf(wanted, mergeKey)) next++;
  }
  if (next < kept.length) {
    throw patchFailed(
      `The order in patch list:\n${printGoValue([...change])}\n doesn't match ${setOrder} list:\n${printGoValue([...order])}\n`,
    );
  }
}

function keyOf(item: Json, mergeKey: string): Json {
  if (mergeKey === '') return item;
  if (!isJsonObject(item)) throw wrongType('map[string]interface {}', item);
  const key = item[mergeKey];
  if (key === undefined)
    throw patchFailed(`map: ${printGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

function mergeField(into: JsonObject, patchKey: string, change: Json, schema: JsonSchema): void {
  const isDeletion = patchKey.startsWith(deleteFromList);
  const key = isDeletion ? nameAfter(patchKey, deleteFromList, 'invalid patch format of primitive list') : patchKey;
  if (change === null) {
    delete into[key];
    return;
  }
  const current = getOwn(into, key);
  if (current === undefined || goTypeOf(current) !== goTypeOf(change)) {
    if (!isDeletion) replaceField(into, key, change);
    return;
  }
  if (isJsonObject(current) && isJsonObject(change)) {
    const { strategy, inside } = fieldPatch(schema, key);
    into[key] = strategy === 'replace' ? change : mergeMaps(current, change, inside);
  } else if (Array.isArray(current) && Array.isArray(change)) {
    const { strategy, mergeKey, inside } = fieldPatch(schema, key);
    const merges = strategy === 'merge' || isDeletion;
    into[key] = merges ? mergeLists(current, change, { mergeKey, mergeItem: itemMerger(inside), isDeletion }) : change;
  } else into[key] = change;
}

function itemMerger(schema: JsonSchema): (live: JsonObject, patch: JsonObject) => JsonObject {
  return (live, patch) => mergeMaps(live, patch, schema);
}

function replaceField(into: JsonObject, key: string, change: Json): void {
  const value = withoutDirectives(withoutNulls(change));
  if (value === undefined) delete into[key];
  else setOwn(into, key, value);
}

function nameAfter(key: string, prefix: string, problem: string): string {
  const [head, ...rest] = key.split('/');
  if (head !== prefix || rest.length === 0) throw badRequest(problem);
  return rest.join('/');
}

/** The value without maps that are directives; undefined when it is one itself. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (value[directive] !== undefined) return undefined;
  const kept: JsonObject = {};
  for (const [key, entry] of Object.entries(value)) {
    const rest = withoutDirectives(entry);
    if (rest !== undefined) kept[key] = rest;
  }
  return kept;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutNulls(entry)]));
}

function isDirective(item: Json): boolean {
  return isJsonObject(item) && item[directive] !== undefined;
}

function wrongType(expected: string, actual: Json): Error {
  return patchFailed(`expected a ${expected}, but received a ${goTypeOf(actual)}`);
}
