import type { KubeObject } from '../object.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Stored } from '../store/store.ts';

/** The other versions, and other groups, in which the same stored objects are served. */
export class Equivalents {
  readonly #registry: ResourceRegistry;
  #known = new Map<string, ServedResource[]>();
  #generation = -1;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /** Every resource that serves the same objects, the given one included. */
  of(resource: ServedResource): readonly ServedResource[] {
    if (this.#generation !== this.#registry.generation) {
      this.#generation = this.#registry.generation;
      this.#known = this.#collect();
    }
    return this.#known.get(resource.bucket) ?? [resource];
  }

  #collect(): Map<string, ServedResource[]> {
    const known = new Map<string, ServedResource[]>();
    for (const group of this.#registry.groups()) {
      for (const version of this.#registry.versions(group)) {
        for (const resource of this.#registry.resources(group, version)) {
          const list = known.get(resource.bucket);
          if (list === undefined) known.set(resource.bucket, [resource]);
          else list.push(resource);
        }
      }
    }
    return known;
  }
}

/** An object in another of its versions, by way of the version that is stored. */
export async function inVersion(
  object: KubeObject,
  { from, to }: { from: ServedResource; to: ServedResource },
): Promise<KubeObject> {
  if (from === to) return object;
  const storage = await from.toStorage(structuredClone(object));
  const { name = '', namespace = '', uid = '' } = object.metadata;
  const stored: Stored = {
    bucket: from.bucket,
    namespace,
    name,
    uid,
    // Newer than any change of schema: it was made by the schemas of now.
    revision: Number.MAX_SAFE_INTEGER,
    createdRevision: 0,
    labels: object.metadata.labels,
    owners: object.metadata.ownerReferences,
    json: JSON.stringify(storage),
  };
  return to.read(stored);
}
