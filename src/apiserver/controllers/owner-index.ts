import type { OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';
import { addressOf } from './object-address.ts';

/** Who depends on whom: the dependents of every owner that somebody names, by the owner's uid. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, OwnerReference>>();
  readonly #owners = new Map<string, readonly OwnerReference[]>();

  /** Takes the object's owners in; returns those it had before, or undefined when they are the same. */
  set(stored: Stored): readonly OwnerReference[] | undefined {
    const { owners } = stored;
    const address = addressOf(stored);
    const before = this.#owners.get(address);
    // Versions with the same owners share one list, so that most writes end here.
    if (before === owners) return undefined;
    this.#forget(address, before ?? []);
    if (owners === undefined) this.#owners.delete(address);
    else this.#owners.set(address, owners);
    for (const owner of owners ?? []) this.#remember(address, owner);
    return before ?? [];
  }

  /** Forgets an object; returns the owners it had. */
  remove(stored: Stored): readonly OwnerReference[] {
    const address = addressOf(stored);
    const before = this.#owners.get(address) ?? [];
    this.#forget(address, before);
    this.#owners.delete(address);
    return before;
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
