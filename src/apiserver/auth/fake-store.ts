import type { KubeObject } from '../object.ts';
import type { Change, Key, ObjectStore, Stored } from '../store/store.ts';

/** For tests: what followers need of a store, in memory and without a disk; every change is seen at once. */
export class FakeStore {
  readonly #objects = new Map<string, Stored>();
  readonly #followers = new Map<string, Set<(changes: readonly Change[]) => void>>();
  #revision = 0;

  /** The same object as the interface that followers take; calls beyond reading and following throw. */
  asStore(): ObjectStore {
    return this as unknown as ObjectStore;
  }

  put(bucket: string, object: KubeObject): Stored {
    const { name = '', namespace = '', uid, labels } = object.metadata;
    const key = { bucket, namespace, name };
    const previous = this.get(key);
    const revision = ++this.#revision;
    const stored: Stored = {
      ...key,
      uid: uid ?? `uid-${revision}`,
      revision,
      createdRevision: previous?.createdRevision ?? revision,
      labels,
      owners: object.metadata.ownerReferences,
      json: JSON.stringify(object),
    };
    this.#objects.set(textOf(key), stored);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#tell({ revision, key, previous, current: stored, type });
    return stored;
  }

  remove(key: Key): void {
    const previous = this.get(key);
    if (previous === undefined) throw new Error(`${textOf(key)} is not there`);
    this.#objects.delete(textOf(key));
    const revision = ++this.#revision;
    this.#tell({ revision, key, previous, current: { ...previous, revision }, type: 'DELETED' });
  }

  get(key: Key): Stored | undefined {
    return this.#objects.get(textOf(key));
  }

  head(key: Key): Stored | undefined {
    return this.get(key);
  }

  revision(): number {
    return this.#revision;
  }

  *scan(bucket: string): Generator<Stored> {
    for (const stored of this.#objects.values()) if (stored.bucket === bucket) yield stored;
  }

  subscribe(bucket: string, _since: number, onChange: (changes: readonly Change[]) => void): { close(): void } {
    const followers = this.#followers.get(bucket) ?? new Set();
    this.#followers.set(bucket, followers.add(onChange));
    return { close: () => followers.delete(onChange) };
  }

  #tell(change: Change): void {
    for (const follower of this.#followers.get(change.key.bucket) ?? []) follower([change]);
  }
}

function textOf({ bucket, namespace, name }: Key): string {
  return `${bucket} ${namespace} ${name}`;
}
