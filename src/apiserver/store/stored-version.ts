import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta, OwnerReference } from '../object.ts';
import type { Key, Stored } from './store.ts';

/** What is kept of an object beside its text, so that following every write does not mean parsing it. */
export type KeptMetadata = Pick<Stored, 'labels' | 'owners'>;

const none: KeptMetadata = { labels: undefined, owners: undefined };

/** What a version that was read from disk is made of. */
export interface VersionFields {
  readonly key: Key;
  readonly uid: string;
  readonly revision: number;
  readonly createdRevision: number;
  readonly json: string;
}

/** A plain record with every field its own, so that a copy of it is complete. */
export function storedVersion(fields: VersionFields, { labels, owners }: KeptMetadata): Stored {
  const { key, uid, revision, createdRevision, json } = fields;
  const { bucket, namespace, name } = key;
  return { bucket, namespace, name, uid, revision, createdRevision, labels, owners, json };
}

/** What is kept of an object that is written: copies, since the caller may go on to change the object. */
export function keptOf({ labels, ownerReferences }: ObjectMeta, previous: Stored | undefined): KeptMetadata {
  return { labels: labels && { ...labels }, owners: sameOwners(ownersOf(ownerReferences), previous?.owners) };
}

/** What is kept of an object that is read from disk. */
export function keptIn(json: string): KeptMetadata {
  // Finding out that there is nothing is far cheaper than parsing, which counts when a store with many objects is opened.
  if (!json.includes('"labels":') && !json.includes('"ownerReferences":[')) return none;
  const { labels, ownerReferences } = (JSON.parse(json) as { metadata?: ObjectMeta }).metadata ?? {};
  return { labels, owners: ownersOf(ownerReferences) };
}

function ownersOf(references: readonly OwnerReference[] | undefined): Stored['owners'] {
  return references === undefined || references.length === 0 ? undefined : references.map((each) => ({ ...each }));
}

/** The list of the version before when it says the same: most writes leave the owners alone, and one list serves all. */
function sameOwners(owners: Stored['owners'], previous: Stored['owners']): Stored['owners'] {
  return owners !== undefined && isDeepStrictEqual(owners, previous) ? previous : owners;
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
