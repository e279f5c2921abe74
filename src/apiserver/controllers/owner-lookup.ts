import type { ServerCore } from '../core.ts';
import type { KubeObject, OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';

/** What became of the owners an object names, by uid. */
export interface OwnersFound {
  /** There, and not about to go. */
  readonly solid: readonly string[];
  /** Not there, or somebody else of the same name. */
  readonly gone: readonly string[];
  /** Being deleted, but waiting for their dependents first. */
  readonly waiting: readonly string[];
}

const rememberedGone = 5_000;

/** Finds out whether owners exist. */
export class OwnerLookup {
  readonly #core: ServerCore;
  /** Owners known to be gone: their kind may be gone too by the time somebody asks. */
  readonly #gone = new Set<string>();

  constructor(core: ServerCore) {
    this.#core = core;
  }

  /** Notes that an object was deleted; uids are never used again. */
  noteGone({ json, uid }: Stored): void {
    const { apiVersion, kind } = JSON.parse(json) as KubeObject;
    this.#gone.add(identityOf(apiVersion, kind, uid));
    if (this.#gone.size <= rememberedGone) return;
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest);
      return;
    }
  }

  /** Sorts the owners; `unmapped` when one is of a kind that nobody serves, so that nothing can be said. */
  classify(dependent: Stored, owners: readonly OwnerReference[]): OwnersFound | 'unmapped' {
    const found = { solid: [] as string[], gone: [] as string[], waiting: [] as string[] };
    for (const owner of owners) {
      const state = this.#stateOf(dependent, owner);
      if (state === 'unmapped') return 'unmapped';
      found[state].push(owner.uid);
    }
    return found;
  }

  #stateOf(dependent: Stored, owner: OwnerReference): 'solid' | 'gone' | 'waiting' | 'unmapped' {
    if (this.#gone.has(identityOf(owner.apiVersion, owner.kind, owner.uid))) return 'gone';
    const served = this.#kindOf(owner);
    if (served === undefined) return 'unmapped';
    // A cluster-scoped object cannot be owned by a namespaced one: nobody can say in which namespace to look.
    if (served.namespaced && dependent.namespace === '') return 'unmapped';
    const namespace = served.namespaced ? dependent.namespace : '';
    const stored = this.#core.store.get({ bucket: served.bucket, namespace, name: owner.name });
    if (stored === undefined || stored.uid !== owner.uid) return 'gone';
    return isWaitingForDependents(stored) ? 'waiting' : 'solid';
  }

  #kindOf({ apiVersion, kind }: OwnerReference) {
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
    return this.#core.registry.findKind(groupOf(apiVersion), version, kind);
  }
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function identityOf(apiVersion: string, kind: string, uid: string): string {
  return `${groupOf(apiVersion)}/${kind}/${uid}`;
}

function isWaitingForDependents(stored: Stored): boolean {
  if (!stored.json.includes('"foregroundDeletion"')) return false;
  const { deletionTimestamp, finalizers = [] } = (JSON.parse(stored.json) as KubeObject).metadata;
  return deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion');
}
