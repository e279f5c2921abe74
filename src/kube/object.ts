import type { ObjectMeta } from '../schema/index.ts';

export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../schema/index.ts';

/** The least that every Kubernetes object has; kinds extend it. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Any object, with whatever fields it has. */
export interface AnyKubeObject extends KubeObject {
  [field: string]: unknown;
}

/** Which object: its name, and its namespace unless it is cluster-scoped. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Where objects of a kind are served. */
export interface ResourceRef {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, as in the path. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly kind?: string | undefined;
}

/** `v1` or `group/version`. */
export function apiVersionOf(ref: { readonly group: string; readonly version: string }): string {
  return ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
}

/** Splits an apiVersion into group and version. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash === -1) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Prints `pods` or `widgets.example.com`. */
export function qualifiedResource(ref: { readonly group: string; readonly resource: string }): string {
  return ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
}

/** The key of an object; throws when it has no name yet. */
export function keyOf(object: KubeObject): ObjectKey {
  const name = object.metadata?.name;
  if (name === undefined || name === '')
    throw new TypeError(`an object of kind ${object.kind ?? 'unknown'} has no name`);
  const namespace = object.metadata?.namespace;
  return namespace === undefined || namespace === '' ? { name } : { namespace, name };
}

/** Prints a key as `namespace/name`, or `name` alone for cluster-scoped objects. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** Reads what formatKey printed. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * Which of two resource versions is newer: negative, zero or positive. Undefined when they cannot be compared, since
 * only versions that are plain numbers have an order.
 */
export function compareResourceVersions(left: string | undefined, right: string | undefined): number | undefined {
  if (left === undefined || right === undefined || !/^[1-9]\d*$/.test(left) || !/^[1-9]\d*$/.test(right))
    return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}
