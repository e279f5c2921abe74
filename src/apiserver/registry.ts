import { bucketOf, type ServedResource } from './served-resource.ts';

/** Everything the server serves, by group, version and plural name. */
export class ResourceRegistry {
  readonly #groups = new Map<string, Map<string, Map<string, ServedResource>>>();
  readonly #storage = new Map<string, ServedResource>();
  readonly #listeners: (() => void)[] = [];
  readonly #readers = new Map<ServedResource, Set<() => void>>();
  #generation = 0;

  /** Grows with every change; caches of discovery and OpenAPI documents are keyed by it. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds or replaces one resource in one version. */
  add(resource: ServedResource): void {
    this.#put(resource);
    this.#changed();
  }

  /** Takes a resource out of every version of its group. */
  remove(group: string, resource: string): void {
    this.#take(group, resource);
    this.#changed();
  }

  /** Puts these versions of a resource in the place of all that are there; nobody sees the moment between. */
  replace(group: string, resource: string, versions: readonly ServedResource[]): void {
    this.#take(group, resource);
    for (const version of versions) this.#put(version);
    this.#changed();
  }

  /** False once a definition was changed or is gone: nothing may be written by it any more. */
  isCurrent(resource: ServedResource): boolean {
    const { group, version, bucket } = resource;
    return this.find(group, version, resource.resource) === resource || this.#storage.get(bucket) === resource;
  }

  /**
   * Calls back once when this resource is gone or read in another way than this definition reads it; what changes
   * only writes does not count. Closing takes the request back.
   */
  onceOutdated(resource: ServedResource, listener: () => void): { close(): void } {
    const listeners = getOrCreate(this.#readers, resource, () => new Set<() => void>());
    listeners.add(listener);
    return {
      close: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#readers.get(resource) === listeners) this.#readers.delete(resource);
      },
    };
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#groups.get(group)?.get(version)?.get(resource);
  }

  /** The storage version of a bucket, through which the server itself reads and writes. */
  storage(bucket: string): ServedResource | undefined {
    return this.#storage.get(bucket);
  }

  /** Every storage-version resource: one per kind of object the server keeps. */
  stored(): IterableIterator<ServedResource> {
    return this.#storage.values();
  }

  /** Finds a kind in a group and version. */
  findKind(group: string, version: string, kind: string): ServedResource | undefined {
    for (const r of this.#groups.get(group)?.get(version)?.values() ?? []) if (r.kind === kind) return r;
    return undefined;
  }

  /** Group names, the core group being empty. */
  groups(): string[] {
    return [...this.#groups.keys()];
  }

  versions(group: string): string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])].sort(compareVersions);
  }

  resources(group: string, version: string): ServedResource[] {
    return [...(this.#groups.get(group)?.get(version)?.values() ?? [])].sort((a, b) =>
      a.resource < b.resource ? -1 : 1,
    );
  }

  /** Calls back after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #put(resource: ServedResource): void {
    if (resource.isServed) {
      const versions = getOrCreate(this.#groups, resource.group, () => new Map<string, Map<string, ServedResource>>());
      getOrCreate(versions, resource.version, () => new Map<string, ServedResource>()).set(resource.resource, resource);
    }
    if (resource.isStorageVersion) this.#storage.set(resource.bucket, resource);
  }

  #take(group: string, resource: string): void {
    this.#storage.delete(bucketOf(group, resource));
    const versions = this.#groups.get(group);
    for (const [version, resources] of versions ?? []) {
      resources.delete(resource);
      if (resources.size === 0) versions?.delete(version);
    }
    if (versions?.size === 0) this.#groups.delete(group);
  }

  #tellReaders(): void {
    for (const [resource, listeners] of [...this.#readers]) {
      if (this.find(resource.group, resource.version, resource.resource)?.read === resource.read) continue;
      this.#readers.delete(resource);
      for (const listener of listeners) listener();
    }
  }

  #changed(): void {
    this.#generation++;
    this.#tellReaders();
    for (const listener of this.#listeners) listener();
  }
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Kubernetes' order of versions: v2 before v1 before v1beta2 before v1alpha1, anything else last by name. */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : 1;
    return left === undefined ? 1 : -1;
  }
  for (let i = 0; i < left.length; i++) {
    const diff = (right[i] ?? 0) - (left[i] ?? 0);
    if (diff !== 0) return diff;
  }
  return 0;
}

function versionRank(version: string): number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
