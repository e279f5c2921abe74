import { compareResourceVersions, formatKey, type KubeObject, keyOf } from '../object.ts';

/** What happened to an object. Never both undefined. */
export interface Change<T> {
  readonly previous: T | undefined;
  readonly current: T | undefined;
}

/** Called with every change; the key is `namespace/name` or `name`. */
export type ChangeHandler<T> = (key: string, change: Change<T>) => void;

/** Names the values an object is found by. */
export type Indexer<T> = (object: T) => readonly string[];

/** Objects by key and by index, reporting what changes. Objects are shared: whoever gets one must not change it. */
export interface ObjectCache<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): T[];
  keys(): string[];
  byIndex(index: string, value: string): T[];
  readonly size: number;
  /** Takes an object from a watch event; one older than what is held is ignored. */
  put(object: T): void;
  /** Takes the last state of a deleted object; a deletion older than what is held is ignored. */
  remove(object: T): void;
  /** Begins a listing: objects put in it replace whatever is held, and what it does not name is gone at its end. */
  startReplace(): { put(object: T): void; finish(): void };
}

/** An empty cache that reports to the given handler. */
export function createObjectCache<T extends KubeObject>(
  indexers: Readonly<Record<string, Indexer<T>>>,
  report: ChangeHandler<T>,
): ObjectCache<T> {
  const objects = new Map<string, T>();
  const indices = new Map(Object.entries(indexers).map(([name, indexer]) => [name, createIndex(indexer)]));

  const set = (key: string, current: T | undefined): void => {
    const previous = objects.get(key);
    if (previous === undefined && current === undefined) return;
    if (current === undefined) objects.delete(key);
    else objects.set(key, current);
    for (const index of indices.values()) index.update(key, previous, current);
    report(key, { previous, current });
  };
  /** Positive: `object` is newer than what is held, or cannot be compared. */
  const ageOf = (key: string, object: T): number => {
    const held = objects.get(key);
    if (held === undefined) return 1;
    const [mine, theirs] = [object.metadata?.resourceVersion, held.metadata?.resourceVersion];
    if (mine === theirs && mine !== undefined && object.metadata?.uid === held.metadata?.uid) return 0;
    return compareResourceVersions(mine, theirs) ?? 1;
  };

  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    keys: () => [...objects.keys()],
    byIndex(name, value) {
      const index = indices.get(name);
      if (index === undefined) throw new TypeError(`there is no index "${name}"`);
      const found: T[] = [];
      for (const key of index.keys(value)) {
        const object = objects.get(key);
        if (object !== undefined) found.push(object);
      }
      return found;
    },
    get size() {
      return objects.size;
    },
    put(object) {
      const key = formatKey(keyOf(object));
      if (ageOf(key, object) > 0) set(key, object);
    },
    remove(object) {
      const key = formatKey(keyOf(object));
      if (ageOf(key, object) >= 0) set(key, undefined);
    },
    startReplace() {
      const missing = new Set(objects.keys());
      return {
        put(object) {
          const key = formatKey(keyOf(object));
          missing.delete(key);
          if (ageOf(key, object) !== 0) set(key, object);
        },
        finish() {
          for (const key of missing) set(key, undefined);
        },
      };
    },
  };
}

interface Index<T> {
  keys(value: string): ReadonlySet<string>;
  update(key: string, previous: T | undefined, current: T | undefined): void;
}

const noKeys: ReadonlySet<string> = new Set();

function createIndex<T>(indexer: Indexer<T>): Index<T> {
  const byValue = new Map<string, Set<string>>();
  /** Where each object is found now, so that this need not be worked out again when it changes. */
  const valuesOf = new Map<string, readonly string[]>();
  return {
    keys: (value) => byValue.get(value) ?? noKeys,
    update(key, previous, current) {
      const before = previous === undefined ? [] : (valuesOf.get(key) ?? []);
      const after = current === undefined ? [] : indexer(current);
      // Most changes of an object leave it where it is found.
      if (isSameList(before, after)) return;
      if (after.length === 0) valuesOf.delete(key);
      else valuesOf.set(key, after);
      for (const value of before) {
        const keys = byValue.get(value);
        keys?.delete(key);
        if (keys?.size === 0) byValue.delete(value);
      }
      for (const value of after) {
        const keys = byValue.get(value);
        if (keys === undefined) byValue.set(value, new Set([key]));
        else keys.add(key);
      }
    },
  };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
