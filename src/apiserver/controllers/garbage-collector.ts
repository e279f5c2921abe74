import { createWorkQueue, systemClock, type WorkOutcome, type WorkQueue } from '../../kube/index.ts';
import type { ServerCore } from '../core.ts';
import type { KubeObject, OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';
import { CollectorWrites } from './collector-writes.ts';
import type { EveryBucket } from './every-bucket.ts';
import { addressOf, keyAt } from './object-address.ts';
import { OwnerIndex } from './owner-index.ts';
import { OwnerLookup } from './owner-lookup.ts';

/** The finalizer of an owner whose dependents are to be left behind. */
const orphanFinalizer = 'orphan';
/** The finalizer of an owner that waits for its dependents. */
const foregroundFinalizer = 'foregroundDeletion';
/** Events come and go by themselves and are never owners. */
const ignoredBuckets: ReadonlySet<string> = new Set(['/events']);
const done: WorkOutcome = { kind: 'done' };

/**
 * Deletes what has lost its owners, and takes dependents with an owner that is deleted in the foreground or leaves
 * them behind when it is to be orphaned. It decides by the state of the store alone, so it can stop anywhere.
 */
export class GarbageCollector {
  readonly #core: ServerCore;
  readonly #index = new OwnerIndex();
  readonly #lookup: OwnerLookup;
  readonly #writes: CollectorWrites;
  readonly #queue: WorkQueue;
  /** Owners that are being deleted and wait for their dependents, by uid. */
  readonly #waiting = new Map<string, string>();
  /** Objects with an owner of a kind nobody serves; looked at again when kinds come or go. */
  readonly #unmapped = new Set<string>();

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    this.#lookup = new OwnerLookup(core);
    this.#writes = new CollectorWrites(core);
    this.#queue = createWorkQueue({
      name: 'garbage-collector',
      concurrency: 16,
      clock: systemClock,
      random: Math.random,
      work: async (address) => {
        try {
          return await this.#work(address);
        } catch (error) {
          onFault(error);
          throw error;
        }
      },
    });
  }

  /** Listens and begins; `buckets` is started by the caller. */
  start(buckets: EveryBucket): void {
    buckets.listen({
      set: (current) => this.#onSet(current),
      remove: (last) => this.#onRemove(last),
    });
    this.#core.registry.onChange(() => {
      for (const address of this.#unmapped) this.#queue.add(address);
      this.#unmapped.clear();
    });
    this.#queue.start();
  }

  async close(): Promise<void> {
    await this.#queue.drain();
  }

  #onSet(current: Stored): void {
    if (ignoredBuckets.has(current.bucket)) return;
    const before = this.#index.ownersAt(addressOf(current));
    const owners = this.#index.set(current);
    if (owners.length > 0) this.#queue.add(addressOf(current));
    this.#wakeWaiting(before);
    if (isWaiting(current)) {
      this.#waiting.set(current.uid, addressOf(current));
      this.#queue.add(addressOf(current));
    }
  }

  #onRemove(last: Stored): void {
    if (ignoredBuckets.has(last.bucket)) return;
    this.#lookup.noteGone(last.uid);
    this.#waiting.delete(last.uid);
    this.#wakeWaiting(this.#index.remove(last));
    for (const address of this.#index.dependentsOf(last.uid).keys()) this.#queue.add(address);
  }

  /** An owner that waits for this dependent may be able to go now. */
  #wakeWaiting(owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const address = this.#waiting.get(uid);
      if (address !== undefined) this.#queue.add(address);
    }
  }

  async #work(address: string): Promise<WorkOutcome> {
    const stored = this.#core.store.get(keyAt(address));
    if (stored === undefined) return done;
    const object = JSON.parse(stored.json) as KubeObject;
    const { metadata } = object;
    if (metadata.deletionTimestamp !== undefined) {
      const finalizers = metadata.finalizers ?? [];
      if (finalizers.includes(orphanFinalizer)) return this.#orphan(stored);
      if (finalizers.includes(foregroundFinalizer)) return this.#deleteDependentsFirst(stored);
      return done;
    }
    return this.#judge(stored, object);
  }

  async #orphan(owner: Stored): Promise<WorkOutcome> {
    const dependents = [...this.#index.dependentsOf(owner.uid).keys()];
    await Promise.all(dependents.map((address) => this.#writes.removeOwners(keyAt(address), new Set([owner.uid]))));
    await this.#writes.removeFinalizer(owner, orphanFinalizer);
    return done;
  }

  /** Deletes the dependents; the owner goes when none of those that block it is left. */
  async #deleteDependentsFirst(owner: Stored): Promise<WorkOutcome> {
    const dependents = this.#index.dependentsOf(owner.uid);
    let isBlocked = false;
    for (const [address, reference] of dependents) {
      if (reference.blockOwnerDeletion === true) isBlocked = true;
      this.#queue.add(address);
    }
    if (!isBlocked) await this.#writes.removeFinalizer(owner, foregroundFinalizer);
    return done;
  }

  /** Decides about an object that names owners. */
  async #judge(stored: Stored, object: KubeObject): Promise<WorkOutcome> {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return done;
    const found = this.#lookup.classify(stored, owners);
    if (found === 'unmapped') {
      this.#unmapped.add(addressOf(stored));
      return done;
    }
    const leaving = [...found.gone, ...found.waiting];
    if (found.solid.length > 0) {
      if (leaving.length > 0) await this.#writes.removeOwners(stored, new Set(leaving));
      return done;
    }
    if (found.waiting.length > 0 && this.#index.dependentsOf(stored.uid).size > 0) {
      await this.#breakCycle(stored);
      return this.#writes.delete(stored, 'Foreground');
    }
    return this.#writes.delete(stored, undefined);
  }

  /** An object that waits for one of its own dependents, which in turn waits for it, would wait for ever. */
  async #breakCycle(stored: Stored): Promise<void> {
    for (const address of this.#index.dependentsOf(stored.uid).keys()) {
      const dependent = this.#core.store.get(keyAt(address));
      if (dependent === undefined || !this.#waiting.has(dependent.uid)) continue;
      await this.#writes.unblockOwners(stored);
      return;
    }
  }
}

/** True for an owner that is being deleted and has dependents to see to. */
function isWaiting(stored: Stored): boolean {
  const { json } = stored;
  if (!json.includes('"deletionTimestamp"')) return false;
  if (!json.includes(`"${orphanFinalizer}"`) && !json.includes(`"${foregroundFinalizer}"`)) return false;
  const { deletionTimestamp, finalizers = [] } = (JSON.parse(json) as KubeObject).metadata;
  const isHeld = finalizers.includes(orphanFinalizer) || finalizers.includes(foregroundFinalizer);
  return deletionTimestamp !== undefined && isHeld;
}
