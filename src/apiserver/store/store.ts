import type { KubeObject, OwnerReference } from '../object.ts';

/** Where an object lives. `bucket` is `<group>/<resource>`, the core group being empty: `/secrets`. */
export interface Key {
  readonly bucket: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** One stored version of an object. Immutable; `json` is exactly what a client gets in the storage version. */
export interface Stored extends Key {
  readonly uid: string;
  /** The revision of this version: `metadata.resourceVersion` as a number. */
  readonly revision: number;
  /** The revision the object was created at. */
  readonly createdRevision: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The owners it names; the very list of the version before while they stay the same. */
  readonly owners: readonly OwnerReference[] | undefined;
  readonly json: string;
}

/** What a write does. `expect` is the revision the caller built on; the store refuses when the head moved. */
export type Write =
  | { readonly kind: 'create'; readonly key: Key; readonly object: KubeObject }
  | { readonly kind: 'update'; readonly key: Key; readonly object: KubeObject; readonly expect: number }
  | { readonly kind: 'delete'; readonly key: Key; readonly object: KubeObject; readonly expect: number };

/** A refused write: the head is not what the caller built on. `head` is undefined when the object is gone. */
export interface WriteConflict {
  readonly conflict: 'exists' | 'stale' | 'missing';
  readonly head: Stored | undefined;
}

/** One committed change, in revision order. */
export interface Change {
  readonly revision: number;
  readonly key: Key;
  /** Absent for a creation. */
  readonly previous: Stored | undefined;
  /** For a deletion: the last state, its resourceVersion being that of the deletion. */
  readonly current: Stored;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
}

/** A page of a listing. */
export interface ListPage {
  readonly items: Stored[];
  /** The revision the whole listing (all pages) is consistent at. */
  readonly revision: number;
  /** The last key of the page when more objects follow, whether or not a filter would keep them. */
  readonly next: { namespace: string; name: string } | undefined;
  /** How many match beyond this page; only known without a selector. */
  readonly remaining: number | undefined;
}

/** What to list. */
export interface ListQuery {
  readonly bucket: string;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** 0 or undefined: no limit. */
  readonly limit?: number | undefined;
  /** Start after this key (a continue token). */
  readonly after?: { namespace: string; name: string } | undefined;
  /** List the state as of this revision; undefined: the newest committed one. */
  readonly revision?: number | undefined;
  /** Keeps an item; applied before the limit. Must not write to the store. */
  readonly filter?: ((item: Stored) => boolean) | undefined;
}

/** A running watch. */
export interface Subscription {
  close(): void;
}

/**
 * The durable, ordered record of every object. Reads see committed state only. A write is checked against the head
 * (committed and pending), gets its revision at once, and its promise settles when it is on disk.
 */
export interface ObjectStore {
  /** The newest committed version. */
  get(key: Key): Stored | undefined;
  /** The newest version, committed or on its way to disk: what a writer must build on. */
  head(key: Key): Stored | undefined;
  /** Throws a RangeError for a revision that is ahead of the newest committed one. */
  list(query: ListQuery): ListPage | 'expired';
  /** Every object of a bucket that is committed at the time of the call, in key order. */
  scan(bucket: string): Iterable<Stored>;
  /** Number of committed objects in a bucket. */
  count(bucket: string): number;
  /** The newest committed revision. */
  revision(): number;
  /** The highest revision handed out so far, to a write that may still be on its way or may have failed. */
  assigned(): number;
  /** The oldest revision a watch or an exact list may start from. */
  oldestRevision(): number;
  /**
   * Checks and queues the write synchronously; settles when durable. Sets metadata.resourceVersion on the object.
   * Rejects with a StoreError when the disk does not take it; the head is then what was committed before.
   */
  write(write: Write): Promise<Stored> | WriteConflict;
  /**
   * Settles when this version, the very one that came from `head`, is on disk; rejects when it never will be. Whoever
   * answers a request with a head (a write that changes nothing, a conflict) waits for it first.
   */
  durable(version: Stored): Promise<void>;
  /**
   * Settles when every write of this key that is pending now is on disk or has failed; never rejects. Whoever answers
   * that an object is missing waits for it first: its deletion may not be on disk yet.
   */
  settled(key: Key): Promise<void>;
  /**
   * Calls back with every committed change of the bucket after `since`, in order, without gaps or repeats: history
   * first, before this call returns, then once per commit. Returns 'expired' when history does not reach back that far.
   * Nothing is buffered here for slow readers: the callback has to keep or drop what it cannot pass on. One that throws
   * has missed changes: with `onLost` it is closed and told so, without it stays and the owner of the store is told.
   */
  subscribe(
    bucket: string,
    since: number,
    onChange: (changes: readonly Change[]) => void,
    onLost?: () => void,
  ): Subscription | 'expired';
  /** Forgets superseded versions at or before this revision. */
  compact(revision: number): Promise<void>;
  close(): Promise<void>;
}
