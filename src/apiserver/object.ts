import type { Json, JsonObject } from '../schema/index.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** A reference to the object that owns another. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Kubernetes ObjectMeta as stored. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

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
