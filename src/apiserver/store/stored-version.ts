import type { Key, Stored } from './store.ts';

type Labels = Stored['labels'];

/** What a version that was read from disk is made of. */
export interface VersionFields {
  readonly key: Key;
  readonly uid: string;
  readonly revision: number;
  readonly createdRevision: number;
  readonly json: string;
}

/** A plain record with every field its own, so that a copy of it is complete. */
export function storedVersion(fields: VersionFields, labels: Labels): Stored {
  const { key, uid, revision, createdRevision, json } = fields;
  return { bucket: key.bucket, namespace: key.namespace, name: key.name, uid, revision, createdRevision, labels, json };
}

/** The labels in the JSON of an object. */
export function labelsIn(json: string): Labels {
  // Finding out that there are none is far cheaper than parsing, which counts when a store with many objects is opened.
  if (!json.includes('"labels":')) return undefined;
  const object = JSON.parse(json) as { metadata?: { labels?: Record<string, string> } };
  return object.metadata?.labels;
}

/**
 * The key of an object inside its bucket. A slash cannot occur in a namespace or a name, and ordering by this string
 * is the order in which etcd, hence kube-apiserver, lists: `a-b/x` comes before `a/x`.
 */
export function pathOf(key: { readonly namespace: string; readonly name: string }): string {
  return `${key.namespace}/${key.name}`;
}

/** The paths of one namespace, or of all: from `start` (inclusive) to `end` (exclusive; undefined is no end). */
export function pathRange(namespace: string | undefined): { start: string; end: string | undefined } {
  if (namespace === undefined) return { start: '', end: undefined };
  // '0' is the character after '/'.
  return { start: `${namespace}/`, end: `${namespace}0` };
}
