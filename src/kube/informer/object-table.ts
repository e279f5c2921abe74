import { formatKey, type KubeObject, keyOf } from '../object.ts';
import type { Indexer } from './object-cache.ts';

/** Objects by name and by index: an informer, or a listing. */
export interface ObjectTable<T> {
  get(key: string): T | undefined;
  list(): readonly T[];
  byIndex(index: string, value: string): readonly T[];
}

/** A table of objects that were listed once, as `rackwright plan` does it. */
export function createTable<T extends KubeObject>(
  objects: readonly T[],
  indexers: Readonly<Record<string, Indexer<T>>> = {},
): ObjectTable<T> {
  const byKey = new Map(objects.map((object) => [formatKey(keyOf(object)), object]));
  const indices = new Map<string, Map<string, T[]>>();
  for (const [name, indexer] of Object.entries(indexers)) {
    const index = new Map<string, T[]>();
    for (const object of objects) {
      for (const value of indexer(object)) {
        const found = index.get(value);
        if (found === undefined) index.set(value, [object]);
        else found.push(object);
      }
    }
    indices.set(name, index);
  }
  return {
    get: (key) => byKey.get(key),
    list: () => objects,
    byIndex: (name, value) => indices.get(name)?.get(value) ?? [],
  };
}
