import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { stringifyGo } from '../patch/go-format.ts';
import { compareObjects } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { fieldsOfObject } from './object-fields.ts';
import type { Scope } from './ownership.ts';

/** Where kubectl's client-side apply keeps what it applied last. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

// All annotations of an object together may not be larger.
const maxAnnotationBytes = 256 * 1024;

/**
 * The fields kubectl may take over without a conflict when it moves from client-side to server-side apply: those it
 * applied client-side and nobody changed since. Undefined when the annotation is missing or of no use.
 */
export function fieldsFromLastApplied(scope: Scope, live: JsonObject): FieldSet | undefined {
  const lastApplied = parseLastApplied(annotationsOf(live)?.[lastAppliedAnnotation]);
  const { apiVersion, type } = scope.versions.own;
  if (lastApplied === undefined || lastApplied.apiVersion !== apiVersion) return undefined;
  const changed = compareObjects(type, { before: lastApplied, after: live, zero: undefined });
  let fields = fieldsOfObject(type, lastApplied, scope.order);
  for (const gone of [changed.modified, changed.added, changed.removed]) fields = difference(fields, gone);
  return fields;
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object.metadata;
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

function parseLastApplied(text: unknown): JsonObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    // A hand-edited annotation is no reason to fail the request; the conflicts then stand.
    return undefined;
  }
}

/** Keeps the annotation in step when kubectl applies server-side, so that a later client-side apply sees the truth. */
export function refreshLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const current = annotations?.[lastAppliedAnnotation];
  if (annotations === undefined || typeof current !== 'string' || current === '') return object;
  const next: JsonObject = {
    ...annotations,
    [lastAppliedAnnotation]: `${stringifyGo(sortKeys(withoutAnnotation(applied)))}\n`,
  };
  if (sizeOf(next) > maxAnnotationBytes) delete next[lastAppliedAnnotation];
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: next } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied);
  if (annotations?.[lastAppliedAnnotation] === undefined) return applied;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...(applied.metadata as JsonObject), annotations: rest } };
}

function sortKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  ) as T;
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}
