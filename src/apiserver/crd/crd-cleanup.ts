import { kubeTime, type ServerCore } from '../core.ts';
import { deleteObject } from '../handlers/delete.ts';
import { systemContext, systemDeletion, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import { DefinitionChanged } from '../handlers/write-through.ts';
import type { KubeObject } from '../object.ts';
import { bucketOf } from '../served-resource.ts';
import { ApiError } from '../status.ts';
import type { Stored, Subscription } from '../store/store.ts';
import { type Crd, type CrdCondition, cleanupFinalizer, crdBucket, withCondition } from './crd-object.ts';

/** How many objects are deleted at once: deletes that are under way together share commits. */
const batchSize = 100;

/** A definition whose objects are being removed. */
interface Dying {
  readonly crd: Crd;
  readonly bucket: string;
  subscription: Subscription | undefined;
  isBusy: boolean;
  /** Something changed while it was busy: it has to look again. */
  isStale: boolean;
}

/** Removes the objects of definitions that are being deleted, then lets the definitions go. */
export class CrdCleanup {
  readonly #core: ServerCore;
  readonly #onFault: (error: unknown) => void;
  readonly #dying = new Map<string, Dying>();

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    this.#onFault = onFault;
  }

  /** Starts to clean up after a dying definition; harmless when it has begun already. */
  begin(crd: Crd): void {
    const uid = crd.metadata.uid ?? '';
    if (this.#dying.has(uid) || !(crd.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    const bucket = bucketOf(crd.spec.group, crd.spec.names.plural);
    const dying: Dying = { crd, bucket, subscription: undefined, isBusy: true, isStale: true };
    this.#dying.set(uid, dying);
    void this.#announce(dying).catch((error) => this.#giveUp(dying, error));
  }

  close(): void {
    for (const { subscription } of this.#dying.values()) subscription?.close();
    this.#dying.clear();
  }

  /**
   * Says what happens now. Commits keep their order: once this is on disk, so is every object whose creation was on its
   * way when creation ended, and counting what is on disk counts them all.
   */
  async #announce(dying: Dying): Promise<void> {
    const message = 'CustomResource deletion is in progress';
    const reason = 'InstanceDeletionInProgress';
    await this.#write(dying.crd, { type: 'Terminating', status: 'True', reason, message });
    if (!this.#isWatched(dying)) return;
    const { store } = this.#core;
    const subscription = store.subscribe(dying.bucket, store.revision(), () => {
      dying.isStale = true;
      this.#step(dying);
    });
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    dying.subscription = subscription;
    dying.isBusy = false;
    this.#step(dying);
  }

  #isWatched(dying: Dying): boolean {
    return this.#dying.get(dying.crd.metadata.uid ?? '') === dying;
  }

  /** One sweep at a time; what happens during one leads to one more, however much it was. */
  #step(dying: Dying): void {
    if (dying.isBusy || !dying.isStale || !this.#isWatched(dying)) return;
    dying.isBusy = true;
    dying.isStale = false;
    this.#sweep(dying).then(
      () => {
        dying.isBusy = false;
        this.#step(dying);
      },
      (error: unknown) => this.#giveUp(dying, error),
    );
  }

  /** The next change of the definition, or the next start, tries again. */
  #giveUp(dying: Dying, error: unknown): void {
    this.#forget(dying);
    this.#onFault(error);
  }

  #forget(dying: Dying): void {
    dying.subscription?.close();
    if (this.#isWatched(dying)) this.#dying.delete(dying.crd.metadata.uid ?? '');
  }

  async #sweep(dying: Dying): Promise<void> {
    if (this.#core.store.count(dying.bucket) === 0) {
      this.#forget(dying);
      await this.#release(dying.crd);
      return;
    }
    const left = [...this.#core.store.scan(dying.bucket)].filter(
      ({ json }) => (JSON.parse(json) as KubeObject).metadata.deletionTimestamp === undefined,
    );
    for (let at = 0; at < left.length && this.#isWatched(dying); at += batchSize) {
      await Promise.all(left.slice(at, at + batchSize).map((stored) => this.#delete(dying, stored)));
    }
  }

  /** Deletes an object; one with finalizers is marked and waited for. */
  async #delete(dying: Dying, { bucket, namespace, name }: Stored): Promise<void> {
    const served = this.#core.registry.storage(bucket);
    if (served === undefined) return;
    const context = systemContext(this.#core, served, { verb: 'delete', namespace, name });
    const key = { bucket, namespace, name };
    try {
      await deleteObject(this.#core, context, served, { key, options: systemDeletion() });
    } catch (error) {
      if (error instanceof DefinitionChanged) dying.isStale = true;
      else if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }

  /** Takes the finalizer off: the definition goes. */
  async #release(crd: Crd): Promise<void> {
    await this.#change(crd, '', (live) => {
      const rest = (live.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
      if (rest.length > 0) live.metadata.finalizers = rest;
      else delete live.metadata.finalizers;
      return live;
    });
  }

  async #write(crd: Crd, condition: CrdCondition): Promise<void> {
    const time = kubeTime(this.#core.now());
    await this.#change(crd, 'status', (live) => {
      const current = live as unknown as Crd;
      const conditions = withCondition(current, condition, time);
      return { ...live, status: { ...current.status, conditions } };
    });
  }

  async #change(crd: Crd, subresource: string, transform: (live: KubeObject) => KubeObject): Promise<void> {
    const served = this.#core.registry.storage(crdBucket);
    const name = crd.metadata.name ?? '';
    const key = { bucket: crdBucket, namespace: '', name };
    if (served === undefined || this.#core.store.head(key)?.uid !== crd.metadata.uid) return;
    try {
      await updateObject(this.#core, systemContext(this.#core, served, { verb: 'update', name }), served, {
        key,
        subresource,
        options: systemWrite('UpdateOptions', 'kube-apiserver'),
        isManaged: false,
        transform,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
}
