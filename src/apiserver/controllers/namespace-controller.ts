import { createWorkQueue, systemClock, type WorkOutcome } from '../../kube/index.ts';
import { finalizeNamespace } from '../builtins/subresources/namespace-finalize.ts';
import type { ServerCore } from '../core.ts';
import { namespaceBucket } from '../handlers/namespace-lifecycle.ts';
import { systemContext, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import type { KubeObject } from '../object.ts';
import { ApiError } from '../status.ts';
import type { Stored } from '../store/store.ts';
import type { EveryBucket } from './every-bucket.ts';
import { LaterQueue } from './later-queue.ts';
import { type NamespaceCondition, namespaceConditions } from './namespace-conditions.ts';
import { deleteNamespaceContent } from './namespace-content.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: NamespaceCondition[] };
}

const ownFinalizer = 'kubernetes';
const manager = 'kube-controller-manager';
/** Content that nobody reports on is looked at again after this long. */
const lookAgainMs = 5_000;

/** Empties namespaces that are being deleted, says what remains, and lets them go when nothing does. */
export class NamespaceController {
  readonly #core: ServerCore;
  readonly #queue: LaterQueue;
  readonly #terminating = new Set<string>();

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    const queue = createWorkQueue({
      name: 'namespaces',
      clock: systemClock,
      random: Math.random,
      work: async (name) => {
        try {
          return await this.#work(name);
        } catch (error) {
          if (!(error instanceof ApiError)) onFault(error);
          throw error;
        }
      },
    });
    this.#queue = new LaterQueue(queue);
  }

  /** Listens and begins; `buckets` is started by the caller. */
  start(buckets: EveryBucket): void {
    buckets.listen({
      set: (current) => this.#onChange(current),
      remove: (last) => {
        if (last.bucket === namespaceBucket) this.#terminating.delete(last.name);
        else this.#wake(last.namespace);
      },
    });
    this.#queue.start();
  }

  async close(): Promise<void> {
    await this.#queue.drain();
  }

  #onChange(current: Stored): void {
    if (current.bucket !== namespaceBucket) {
      this.#wake(current.namespace);
      return;
    }
    if (!current.json.includes('"deletionTimestamp"')) return;
    this.#terminating.add(current.name);
    this.#queue.add(current.name);
  }

  #wake(namespace: string): void {
    if (namespace !== '' && this.#terminating.has(namespace)) this.#queue.add(namespace);
  }

  async #work(name: string): Promise<WorkOutcome> {
    const namespace = this.#read(name);
    if (namespace?.metadata.deletionTimestamp === undefined) return { kind: 'done' };
    if (!(namespace.spec?.finalizers ?? []).includes(ownFinalizer)) return { kind: 'done' };
    const remaining = await deleteNamespaceContent(this.#core, name);
    const conditions = namespaceConditions(remaining, namespace.status?.conditions ?? [], this.#core.now());
    await this.#writeConditions(name, namespace, conditions);
    if (remaining.failures.length > 0) return { kind: 'retry' };
    if (remaining.resources.size > 0) return { kind: 'again', afterMs: lookAgainMs };
    await this.#release(name, namespace);
    return { kind: 'done' };
  }

  #read(name: string): Namespace | undefined {
    const stored = this.#core.store.get({ bucket: namespaceBucket, namespace: '', name });
    return stored === undefined ? undefined : (JSON.parse(stored.json) as Namespace);
  }

  async #writeConditions(name: string, namespace: Namespace, conditions: NamespaceCondition[]): Promise<void> {
    const served = this.#core.registry.storage(namespaceBucket);
    if (served === undefined) return;
    const context = systemContext(this.#core, served, { verb: 'update', name });
    await this.#unlessGone(async () => {
      await updateObject(this.#core, context, served, {
        key: { bucket: namespaceBucket, namespace: '', name },
        subresource: 'status',
        options: systemWrite('UpdateOptions', manager),
        isManaged: false,
        transform: (live: Namespace) => {
          if (live.metadata.uid !== namespace.metadata.uid) return live;
          return { ...live, status: { ...live.status, phase: 'Terminating', conditions } } as KubeObject;
        },
      });
    });
  }

  async #release(name: string, namespace: Namespace): Promise<void> {
    const served = this.#core.registry.storage(namespaceBucket);
    if (served === undefined) return;
    await this.#unlessGone(async () => {
      await finalizeNamespace(this.#core, systemContext(this.#core, served, { verb: 'update', name }), {
        name,
        options: systemWrite('UpdateOptions', manager),
        isReplacement: false,
        transform: (live: Namespace) => {
          if (live.metadata.uid !== namespace.metadata.uid) return live;
          const finalizers = (live.spec?.finalizers ?? []).filter((finalizer) => finalizer !== ownFinalizer);
          return { ...live, spec: finalizers.length > 0 ? { finalizers } : {} } as KubeObject;
        },
      });
    });
  }

  async #unlessGone(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
}
