import type { Json, JsonObject, ObjectMeta } from '../schema/index.ts';

export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../schema/index.ts';

/** Any object the API server stores or answers with. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** The same object seen as plain JSON, for code that walks schemas. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** Plain JSON seen as an object; the caller has checked apiVersion, kind and metadata. */
export function asKubeObject(json: JsonObject): KubeObject {
  return json as unknown as KubeObject;
}

/** A deep copy of JSON data. */
export function cloneJson<T extends Json | KubeObject | JsonObject>(value: T): T {
  return structuredClone(value);
}
