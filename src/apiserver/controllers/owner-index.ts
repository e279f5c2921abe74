import type { KubeObject, OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';
import { addressOf } from './object-address.ts';

/** Who depends on whom: the dependents of every owner that somebody names, by the owner's uid. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, OwnerReference>>();
  readonly #owners = new Map<string, readonly OwnerReference[]>();

  /** Takes the object's owners in; returns them. */
  set(stored: Stored): readonly OwnerReference[] {
    const owners = ownersOf(stored);
    const address = addressOf(stored);
    const before = this.#owners.get(address);
    if (before === undefined && owners.length === 0) return owners;
    this.#forget(address, before ?? []);
    if (owners.length === 0) this.#owners.delete(address);
    else this.#owners.set(address, owners);
    for (const owner of owners) this.#remember(address, owner);
    return owners;
  }

  /** Forgets an object; returns the owners it had. */
  remove(stored: Stored): readonly OwnerReference[] {
    const address = addressOf(stored);
    const before = this.#owners.get(address) ?? [];
    this.#forget(address, before);
    this.#owners.delete(address);
    return before;
  }

  /** The owners an object had when it was last set. */
  ownersAt(address: string): readonly OwnerReference[] {
    return this.#owners.get(address) ?? [];
  }

  /** Addresses of the objects that name this owner, each with its reference. */
  dependentsOf(uid: string): ReadonlyMap<string, OwnerReference> {
    return this.#dependents.get(uid) ?? none;
  }

  #remember(address: string, owner: OwnerReference): void {
    let dependents = this.#dependents.get(owner.uid);
    if (dependents === undefined) {
      dependents = new Map();
      this.#dependents.set(owner.uid, dependents);
    }
    dependents.set(address, owner);
  }

  #forget(address: string, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(address);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}

const none: ReadonlyMap<string, OwnerReference> = new Map();

/** The owners of a stored object; most have none, which the text tells without parsing. */
export function ownersOf(stored: Stored): readonly OwnerReference[] {
  if (!stored.json.includes('"ownerReferences":[')) return [];
  return (JSON.parse(stored.json) as KubeObject).metadata.ownerReferences ?? [];
}
