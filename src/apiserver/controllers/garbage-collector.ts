import { createWorkQueue, systemClock, type WorkOutcome } from '../../kube/index.ts';
import type { ServerCore } from '../core.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../object.ts';
import type { Stored } from '../store/store.ts';
import { CollectorWrites } from './collector-writes.ts';
import type { EveryBucket } from './every-bucket.ts';
import { isBlocked } from './is-blocked.ts';
import { LaterQueue } from './later-queue.ts';
import { addressOf, keyAt } from './object-address.ts';
import { OwnerIndex } from './owner-index.ts';
import { OwnerLookup } from './owner-lookup.ts';

/** The finalizer of an owner whose dependents are to be left behind. */
const orphanFinalizer = 'orphan';
/** The finalizer of an owner that waits for its dependents. */
const foregroundFinalizer = 'foregroundDeletion';
/** Events come and go by themselves and are never owners. */
const ignoredBuckets: ReadonlySet<string> = new Set(['/events']);
const againMs = 20;
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
  readonly #queue: LaterQueue;
  /** Owners that are being deleted and wait for their dependents, by uid. */
  readonly #waiting = new Map<string, string>();
  /** Objects with an owner of a kind nobody serves; looked at again when kinds come or go. */
  readonly #unmapped = new Set<string>();
  readonly #delayed = new Set<string>();

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    this.#lookup = new OwnerLookup(core);
    this.#writes = new CollectorWrites(core);
    const queue = createWorkQueue({
      name: 'garbage-collector',
      concurrency: 64,
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
    this.#queue = new LaterQueue(queue);
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

  /** True while nothing waits to be judged. */
  get isIdle(): boolean {
    return this.#queue.isIdle && this.#delayed.size === 0;
  }

  async close(): Promise<void> {
    await this.#queue.drain();
  }

  #onSet(current: Stored): void {
    if (ignoredBuckets.has(current.bucket)) return;
    const before = this.#index.set(current);
    // While its owners stay the same, only their going can change the verdict, and that is heard of by itself.
    if (before !== undefined) {
      if (current.owners !== undefined) this.#queue.add(addressOf(current));
      this.#wakeWaiting(before);
    }
    if (isWaiting(current)) {
      this.#waiting.set(current.uid, addressOf(current));
      this.#queue.add(addressOf(current));
    }
  }

  #onRemove(last: Stored): void {
    if (ignoredBuckets.has(last.bucket)) return;
    this.#lookup.noteGone(last);
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
    this.#delayed.delete(address);
    const stored = this.#core.store.get(keyAt(address));
    if (stored === undefined) return done;
    const dying = dyingMetadata(stored);
    if (dying === undefined) return this.#judge(stored);
    const finalizers = dying.finalizers ?? [];
    if (finalizers.includes(orphanFinalizer)) return this.#orphan(stored);
    if (finalizers.includes(foregroundFinalizer)) return this.#deleteDependentsFirst(stored);
    return done;
  }

  async #orphan(owner: Stored): Promise<WorkOutcome> {
    const dependents = [...this.#index.dependentsOf(owner.uid).keys()];
    await Promise.all(dependents.map((address) => this.#writes.removeOwners(keyAt(address), new Set([owner.uid]))));
    await this.#writes.removeFinalizer(owner, orphanFinalizer);
    return done;
  }

  /** Deletes the dependents; the owner goes when none of those that block it is left. */
  async #deleteDependentsFirst(owner: Stored): Promise<WorkOutcome> {
    for (const address of this.#index.dependentsOf(owner.uid).keys()) {
      // One that is going already tells us when it is gone.
      const dependent = this.#core.store.get(keyAt(address));
      if (dependent !== undefined && dyingMetadata(dependent) === undefined) this.#queue.add(address);
    }
    const isWaiting = (uid: string): boolean => this.#waiting.has(uid);
    const blockersOf = (uid: string): string[] => this.#blockersOf(uid);
    if (!isBlocked(owner.uid, { blockersOf, isWaiting }))
      await this.#writes.removeFinalizer(owner, foregroundFinalizer);
    return done;
  }

  #blockersOf(uid: string): string[] {
    const uids: string[] = [];
    for (const [address, reference] of this.#index.dependentsOf(uid)) {
      if (reference.blockOwnerDeletion !== true) continue;
      const dependent = this.#core.store.get(keyAt(address));
      if (dependent !== undefined) uids.push(dependent.uid);
    }
    return uids;
  }

  /** Decides about an object that names owners. */
  async #judge(stored: Stored): Promise<WorkOutcome> {
    const { owners } = stored;
    if (owners === undefined) return done;
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
      return (await this.#writes.delete(stored, 'Foreground')) ? done : this.#again(stored);
    }
    return (await this.#writes.delete(stored, undefined)) ? done : this.#again(stored);
  }

  /** Looks again a little later: what came between is on its way to disk, and must not be waited for in a circle. */
  #again(stored: Stored): WorkOutcome {
    this.#delayed.add(addressOf(stored));
    return { kind: 'again', afterMs: againMs };
  }
}

/** The metadata of an object that is being deleted; that most are not, the text tells without parsing. */
function dyingMetadata({ json }: Stored): ObjectMeta | undefined {
  if (!json.includes('"deletionTimestamp"')) return undefined;
  const { metadata } = JSON.parse(json) as KubeObject;
  return metadata.deletionTimestamp === undefined ? undefined : metadata;
}

/** True for an owner that is being deleted and has dependents to see to. */
function isWaiting(stored: Stored): boolean {
  const finalizers = dyingMetadata(stored)?.finalizers ?? [];
  return finalizers.includes(orphanFinalizer) || finalizers.includes(foregroundFinalizer);
}
