import { kubeTime, type ServerCore } from '../core.ts';
import { deleteObject } from '../handlers/delete.ts';
import { systemContext, systemDeletion, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import type { KubeObject } from '../object.ts';
import { bucketOf } from '../served-resource.ts';
import { ApiError } from '../status.ts';
import type { Subscription } from '../store/store.ts';
import { type Crd, type CrdCondition, cleanupFinalizer, crdBucket, withCondition } from './crd-object.ts';

/** Removes the objects of definitions that are being deleted, then lets the definitions go. */
export class CrdCleanup {
  readonly #core: ServerCore;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new Map<string, Subscription>();

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    this.#onFault = onFault;
  }

  /** Starts to clean up after a dying definition; harmless when it has begun already. */
  begin(crd: Crd): void {
    const uid = crd.metadata.uid ?? '';
    if (this.#waiting.has(uid) || !(crd.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    const { store } = this.#core;
    const bucket = bucketOf(crd.spec.group, crd.spec.names.plural);
    const subscription = store.subscribe(bucket, store.revision(), () => this.#step(crd, bucket));
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    this.#waiting.set(uid, subscription);
    this.#step(crd, bucket);
  }

  close(): void {
    for (const subscription of this.#waiting.values()) subscription.close();
    this.#waiting.clear();
  }

  #step(crd: Crd, bucket: string): void {
    const uid = crd.metadata.uid ?? '';
    if (this.#core.store.count(bucket) === 0) {
      this.#waiting.get(uid)?.close();
      this.#waiting.delete(uid);
      void this.#release(crd).catch(this.#onFault);
    } else void this.#deleteAll(crd, bucket).catch(this.#onFault);
  }

  /** Deletes what is not being deleted yet; objects with finalizers are marked and waited for. */
  async #deleteAll(crd: Crd, bucket: string): Promise<void> {
    const served = this.#core.registry.storage(bucket);
    if (served === undefined) return;
    const message = 'CustomResource deletion is in progress';
    await this.#write(crd, { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message });
    for (const { namespace, name, json } of [...this.#core.store.scan(bucket)]) {
      if ((JSON.parse(json) as KubeObject).metadata.deletionTimestamp !== undefined) continue;
      const context = systemContext(this.#core, served, { verb: 'delete', namespace, name });
      try {
        await deleteObject(this.#core, context, served, {
          key: { bucket, namespace, name },
          options: systemDeletion(),
        });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 404) throw error;
      }
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
