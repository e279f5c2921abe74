import { isDeepStrictEqual } from 'node:util';
import { openAdmission } from '../admission/admission.ts';
import { kubeTime, type ServerCore } from '../core.ts';
import { systemContext, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { forbidden } from '../status.ts';
import type { Stored } from '../store/store.ts';
import type { ConverterFactory } from './conversion.ts';
import { CrdCleanup } from './crd-cleanup.ts';
import { type Crd, crdBucket } from './crd-object.ts';
import { crdStatusOf, hasNameConflict, isEstablished } from './crd-status.ts';
import { type Era, serveCrd } from './serve-crd.ts';

/** Nothing new may arrive while the rest is being removed. */
function withoutCreation(resource: ServedResource): ServedResource {
  const prepareForCreate = (object: KubeObject): never => {
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(resource, object.metadata.name ?? '', why);
  };
  return { ...resource, strategy: { ...resource.strategy, prepareForCreate } };
}

/** A definition as it is served now. */
interface Served {
  readonly uid: string;
  readonly spec: string;
  readonly isTerminating: boolean;
  readonly resources: readonly ServedResource[];
  readonly era: Era;
}

/** What the lifecycle of CustomResourceDefinitions needs from the server. */
export interface CrdLifecycleOptions {
  readonly core: ServerCore;
  readonly converterFor: ConverterFactory;
  /** Told about what should never happen. */
  onFault(error: unknown): void;
}

/**
 * Follows the stored CustomResourceDefinitions: accepts their names, marks them Established, serves them, and on
 * deletion removes their objects first.
 */
export class CrdLifecycle {
  readonly #options: CrdLifecycleOptions;
  /** The server without admission: what the server does to its own definitions is nobody else's business. */
  readonly #core: ServerCore;
  readonly #cleanup: CrdCleanup;
  readonly #known = new Map<string, Crd>();
  readonly #served = new Map<string, Served>();

  constructor(options: CrdLifecycleOptions) {
    this.#options = options;
    this.#core = { ...options.core, admission: openAdmission };
    this.#cleanup = new CrdCleanup(this.#core, options.onFault);
  }

  /** Serves what is stored already, then follows every change. */
  start(): { close(): void } {
    const { store } = this.#core;
    const since = store.revision();
    const all = [...store.scan(crdBucket)];
    for (const stored of all) this.#remember(stored);
    for (const stored of all) this.#settle(stored);
    const subscription = store.subscribe(crdBucket, since, (changes) => {
      for (const change of changes) {
        if (change.type === 'DELETED') this.#forget(JSON.parse(change.current.json) as Crd);
        else {
          this.#remember(change.current);
          this.#settle(change.current);
        }
      }
    });
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    return {
      close: () => {
        subscription.close();
        this.#cleanup.close();
      },
    };
  }

  #remember(stored: Stored): void {
    this.#known.set(stored.name, JSON.parse(stored.json) as Crd);
  }

  #settle(stored: Stored): void {
    const crd = this.#known.get(stored.name);
    if (crd === undefined || this.#core.store.head(stored) !== stored) return; // a newer version follows
    if (crd.metadata.deletionTimestamp !== undefined) {
      if (isEstablished(crd)) this.#serve(crd);
      this.#cleanup.begin(crd);
      return;
    }
    const status = this.#statusOf(crd);
    const next = { ...crd, status };
    if (isEstablished(next)) this.#serve(next);
    else this.#withdraw(crd);
    if (!isDeepStrictEqual(status, crd.status)) void this.#writeStatus(crd).catch(this.#options.onFault);
  }

  #statusOf(crd: Crd): NonNullable<Crd['status']> {
    return crdStatusOf(crd, this.#known.values(), kubeTime(this.#core.now()));
  }

  async #writeStatus(crd: Crd): Promise<void> {
    const name = crd.metadata.name ?? '';
    const served = this.#core.registry.storage(crdBucket);
    if (served === undefined) return;
    const key = { bucket: crdBucket, namespace: '', name };
    if (this.#core.store.head(key) === undefined) return;
    await updateObject(this.#core, systemContext(this.#core, served, { verb: 'update', name }), served, {
      key,
      subresource: 'status',
      options: systemWrite('UpdateOptions', 'kube-apiserver'),
      isManaged: false,
      transform: (live) => {
        const current = live as unknown as Crd;
        const isStale = live.metadata.uid !== crd.metadata.uid || live.metadata.deletionTimestamp !== undefined;
        return isStale ? live : ({ ...live, status: this.#statusOf(current) } as KubeObject);
      },
    });
  }

  #serve(crd: Crd): void {
    const isTerminating = crd.metadata.deletionTimestamp !== undefined;
    const spec = JSON.stringify(crd.spec);
    const { name = '', uid = '' } = crd.metadata;
    const before = this.#served.get(name);
    const isSame = before !== undefined && before.uid === uid && before.spec === spec;
    if (isSame && before.isTerminating === isTerminating) return;
    // Objects of a dying definition are read as before, so that whoever watches them sees them go.
    const { resources, era } = isSame ? before : this.#beginEra(crd, before);
    const { group, names } = crd.spec;
    this.#core.registry.replace(group, names.plural, isTerminating ? resources.map(withoutCreation) : resources);
    this.#served.set(name, { uid, spec, isTerminating, resources, era });
  }

  /**
   * What has a revision by now, on disk or on its way there, was written by an older definition, or, after a start, by
   * one that nobody remembers; everything after it is written by this one, since the handlers check at every write.
   */
  #beginEra(crd: Crd, before: Served | undefined): Pick<Served, 'resources' | 'era'> {
    const now = this.#core.store.assigned();
    if (before !== undefined) before.era.until = now;
    const era = { after: now, until: Number.POSITIVE_INFINITY };
    return { resources: serveCrd(crd, this.#options.converterFor(crd), era), era };
  }

  #withdraw(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    const served = this.#served.get(name);
    if (served === undefined || served.uid !== crd.metadata.uid) return;
    served.era.until = this.#core.store.assigned();
    this.#served.delete(name);
    this.#core.registry.remove(crd.spec.group, crd.spec.names.plural);
  }

  /** A definition that is gone frees its names for those that waited for them. */
  #forget(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    if (this.#known.get(name)?.metadata.uid === crd.metadata.uid) this.#known.delete(name);
    this.#withdraw(crd);
    for (const other of this.#known.values()) {
      if (other.spec.group !== crd.spec.group || !hasNameConflict(other)) continue;
      const stored = this.#core.store.head({ bucket: crdBucket, namespace: '', name: other.metadata.name ?? '' });
      if (stored !== undefined) this.#settle(stored);
    }
  }
}
