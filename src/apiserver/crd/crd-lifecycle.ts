import { isDeepStrictEqual } from 'node:util';
import { kubeTime } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ObjectStore, Stored } from '../store/store.ts';
import type { ConverterFactory } from './conversion.ts';
import { type Crd, type CrdCondition, type CrdNames, crdBucket } from './crd-object.ts';
import { serveCrd } from './serve-crd.ts';

/** What the lifecycle of CustomResourceDefinitions needs from the server. */
export interface CrdLifecycleOptions {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly converterFor: ConverterFactory;
  now(): Date;
}

const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * Follows the stored CustomResourceDefinitions: accepts their names, marks them Established, serves them, and on
 * deletion removes their objects first.
 */
export class CrdLifecycle {
  readonly #options: CrdLifecycleOptions;
  readonly #served = new Map<string, { uid: string; spec: string }>();

  constructor(options: CrdLifecycleOptions) {
    this.#options = options;
  }

  /** Serves what is stored already, then follows every change. */
  start(): { close(): void } {
    const { store } = this.#options;
    const since = store.revision();
    for (const stored of store.scan(crdBucket)) this.#settle(stored);
    const subscription = store.subscribe(crdBucket, since, (changes) => {
      for (const change of changes) {
        if (change.type === 'DELETED') this.#forget(JSON.parse(change.current.json) as Crd);
        else this.#settle(change.current);
      }
    });
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    return subscription;
  }

  #settle(stored: Stored): void {
    const { store } = this.#options;
    if (store.head(stored) !== stored) return; // an older version: the newer one follows
    const crd = JSON.parse(stored.json) as Crd;
    if (crd.metadata.deletionTimestamp !== undefined) {
      this.#cleanUp(stored, crd);
      return;
    }
    const next = this.#withStatus(crd);
    if (isEstablished(next)) this.#serve(next, stored.revision);
    else this.#forget(crd);
    if (!isDeepStrictEqual(next.status, crd.status)) this.#write(stored, next, 'update');
  }

  #serve(crd: Crd, revision: number): void {
    const spec = JSON.stringify(crd.spec);
    const name = crd.metadata.name ?? '';
    const uid = crd.metadata.uid ?? '';
    const before = this.#served.get(name);
    if (before !== undefined && before.uid === uid && before.spec === spec) return;
    const { registry, converterFor } = this.#options;
    registry.remove(crd.spec.group, crd.spec.names.plural);
    for (const resource of serveCrd(crd, converterFor(crd), revision)) registry.add(resource);
    this.#served.set(name, { uid, spec });
  }

  #forget(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    const served = this.#served.get(name);
    if (served === undefined || served.uid !== crd.metadata.uid) return;
    this.#served.delete(name);
    this.#options.registry.remove(crd.spec.group, crd.spec.names.plural);
  }

  /** Deletes the custom resources of a dying definition, then lets it go. */
  #cleanUp(stored: Stored, crd: Crd): void {
    if (!(crd.metadata.finalizers ?? []).includes(cleanupFinalizer)) return;
    const bucket = `${crd.spec.group}/${crd.spec.names.plural}`;
    void this.#deleteInstances(bucket).then((isEmpty) => {
      if (!isEmpty) return;
      const { store } = this.#options;
      const head = store.head(stored);
      if (head === undefined) return;
      const current = JSON.parse(head.json) as Crd;
      const rest = (current.metadata.finalizers ?? []).filter((f) => f !== cleanupFinalizer);
      if (rest.length > 0) current.metadata.finalizers = rest;
      else delete current.metadata.finalizers;
      this.#write(head, current, rest.length === 0 ? 'delete' : 'update');
    });
  }

  /** True when nothing is left; objects with finalizers are marked and waited for. */
  async #deleteInstances(bucket: string): Promise<boolean> {
    const { store } = this.#options;
    const writes: Promise<unknown>[] = [];
    for (const item of [...store.scan(bucket)]) {
      const object = JSON.parse(item.json) as KubeObject;
      const isHeld = (object.metadata.finalizers ?? []).length > 0;
      if (isHeld && object.metadata.deletionTimestamp !== undefined) continue;
      if (isHeld) {
        object.metadata.deletionTimestamp = kubeTime(this.#options.now());
        object.metadata.deletionGracePeriodSeconds = 0;
      }
      const written = store.write({ kind: isHeld ? 'update' : 'delete', key: item, object, expect: item.revision });
      if (!('conflict' in written)) writes.push(written);
    }
    await Promise.all(writes);
    if (store.count(bucket) === 0) return true;
    const subscription = store.subscribe(bucket, store.revision(), () => {
      if (store.count(bucket) > 0 || subscription === 'expired') return;
      subscription.close();
      for (const crd of store.scan(crdBucket)) this.#settle(crd);
    });
    return false;
  }

  #write(stored: Stored, crd: Crd, kind: 'update' | 'delete'): void {
    const object = crd as unknown as KubeObject;
    const written = this.#options.store.write({ kind, key: stored, object, expect: stored.revision });
    // A conflict means a newer version is on its way, which will be settled in its turn.
    if (!('conflict' in written)) void written.catch(() => undefined);
  }

  #withStatus(crd: Crd): Crd {
    const clash = this.#nameClash(crd);
    const time = kubeTime(this.#options.now());
    const before = crd.status?.conditions ?? [];
    const names: CrdCondition =
      clash === undefined
        ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
        : { type: 'NamesAccepted', status: 'False', reason: clash.reason, message: clash.message };
    const wasEstablished = before.some((c) => c.type === 'Established' && c.status === 'True');
    const established: CrdCondition =
      clash === undefined || wasEstablished
        ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
        : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
    const others = before.filter((c) => c.type !== 'NamesAccepted' && c.type !== 'Established');
    const conditions = [names, established].map((c) => keepTransition(c, before, time)).concat(others);
    const storage = crd.spec.versions.find((v) => v.storage)?.name ?? '';
    const stored = crd.status?.storedVersions ?? [];
    return {
      ...crd,
      status: {
        ...crd.status,
        conditions,
        acceptedNames: clash === undefined ? acceptedNames(crd.spec.names) : (crd.status?.acceptedNames ?? { plural: '', kind: '' }),
        storedVersions: stored.includes(storage) ? stored : [...stored, storage],
      },
    };
  }

  /** A plural, short name or kind that another resource of the group already has. */
  #nameClash(crd: Crd): { reason: string; message: string } | undefined {
    const { group, names } = crd.spec;
    const others = [...this.#options.registry.stored()].filter((r) => r.group === group && r.resource !== names.plural);
    const taken = new Set(others.flatMap((r) => [r.resource, r.singular, ...r.shortNames]));
    const kinds = new Set(others.flatMap((r) => [r.kind, r.listKind]));
    const mine = [names.plural, names.singular ?? '', ...(names.shortNames ?? [])];
    const clash = mine.find((name) => taken.has(name));
    if (clash === names.plural) return { reason: 'PluralConflict', message: `${JSON.stringify(clash)} is already in use` };
    if (clash === names.singular) return { reason: 'SingularConflict', message: `${JSON.stringify(clash)} is already in use` };
    if (clash !== undefined) return { reason: 'ShortNamesConflict', message: `${JSON.stringify(clash)} is already in use` };
    const kind = kinds.has(names.kind) ? 'KindConflict' : kinds.has(names.listKind ?? '') ? 'ListKindConflict' : undefined;
    const which = kind === 'KindConflict' ? names.kind : names.listKind;
    return kind === undefined ? undefined : { reason: kind, message: `${JSON.stringify(which)} is already in use` };
  }
}

function acceptedNames(names: CrdNames): CrdNames {
  const { plural, singular, shortNames, kind, listKind, categories } = names;
  return {
    plural,
    ...(singular === undefined ? {} : { singular }),
    ...(shortNames === undefined ? {} : { shortNames }),
    kind,
    ...(listKind === undefined ? {} : { listKind }),
    ...(categories === undefined ? {} : { categories }),
  };
}

function keepTransition(condition: CrdCondition, before: CrdCondition[], time: string): CrdCondition {
  const was = before.find((c) => c.type === condition.type);
  const { type, status, reason, message } = condition;
  const at = was !== undefined && was.status === status ? was.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastTransitionTime: at ?? time,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function isEstablished(crd: Crd): boolean {
  return crd.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false;
}
