import { kubeTime, type ServerCore } from '../core.ts';
import { copyObject, type KubeObject, type ObjectMeta } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { type ApiError, conflict, notFound } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';
import type { DeleteOptions } from './delete-options.ts';
import { checkNamespaceDeletion, namespaceBucket } from './namespace-lifecycle.ts';
import { checkPresentable } from './present.ts';
import { writeThrough } from './write-through.ts';

/** What became of a delete: gone, or marked and waiting for its finalizers. */
export interface DeleteResult {
  readonly isGone: boolean;
  /** The object's last stored state; absent for a dry run. */
  readonly stored: Stored | undefined;
  readonly object: KubeObject;
}

const attempts = 20;

/** Deletes one object, or marks it as being deleted while something still holds it. */
export async function deleteObject(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  request: { key: Key; options: DeleteOptions },
): Promise<DeleteResult> {
  checkNamespaceDeletion(served, request.key.name);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const stored = core.store.head(request.key);
    if (stored === undefined) throw notFound(served, request.key.name);
    const result = await tryDelete(core, context, served, request, stored);
    if (result !== 'moved') return result;
  }
  throw conflict(served, request.key.name, 'the object kept changing while it was being deleted');
}

async function tryDelete(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  { key, options }: { key: Key; options: DeleteOptions },
  stored: Stored,
): Promise<DeleteResult | 'moved'> {
  const live = await served.read(stored);
  checkPreconditions(served, options, live);
  if (!core.admission.isIdle(served, 'DELETE')) {
    await core.admission.validate({
      operation: 'DELETE',
      resource: served,
      subresource: '',
      namespace: key.namespace,
      name: key.name,
      object: undefined,
      oldObject: live,
      options: options.raw,
      user: context.user,
      dryRun: options.dryRun,
      warn: (text) => context.warnings.add(text),
    });
  }
  const warn = (text: string): void => {
    context.warnings.add(text);
  };
  checkPresentable(context);
  return applyDelete(core, served, { key, options, stored, live, now: context.now, warn });
}

interface Deletion {
  readonly key: Key;
  readonly options: DeleteOptions;
  readonly stored: Stored;
  readonly live: KubeObject;
  readonly now: Date;
  readonly warn: (text: string) => void;
}

async function applyDelete(
  core: ServerCore,
  served: ServedResource,
  deletion: Deletion,
): Promise<DeleteResult | 'moved'> {
  const { key, options, stored, live } = deletion;
  const next = copyObject(live);
  const before = JSON.stringify(next);
  next.metadata.finalizers = finalizersAfterDelete(served, live, options);
  if (next.metadata.finalizers.length === 0) delete next.metadata.finalizers;
  const { gracePeriodSeconds, propagationPolicy } = options;
  const request = { now: deletion.now, gracePeriodSeconds, propagationPolicy, warn: deletion.warn };
  const plan = served.strategy.prepareForDelete?.(next, request) ?? { isHeld: false, graceSeconds: 0 };
  const isHeld = (next.metadata.finalizers ?? []).length > 0 || (plan.graceSeconds ?? 0) > 0 || plan.isHeld;
  if (isHeld || plan.isMarked === true) markDeleted(next.metadata, deletion.now, plan.graceSeconds);
  if (options.dryRun) return { isGone: !isHeld, stored: undefined, object: next };
  if (isHeld && JSON.stringify(next) === before) {
    await core.store.durable(stored); // nothing to write, but what is answered must be on disk
    return { isGone: false, stored, object: next };
  }
  const object = await served.toStorage(next);
  // Watchers see such a kind marked before they see it gone.
  const isTwice = !isHeld && plan.isMarked === true && JSON.stringify(next) !== before;
  const marked = isTwice ? await write(core, served, { kind: 'update', key, object, expect: stored.revision }) : stored;
  if (marked === 'moved') return 'moved';
  const kind = isHeld ? 'update' : 'delete';
  const written = await write(core, served, { kind, key, object, expect: marked.revision });
  return written === 'moved' ? 'moved' : { isGone: !isHeld, stored: written, object: next };
}

async function write(
  core: ServerCore,
  served: ServedResource,
  mutation: Parameters<typeof writeThrough>[2],
): Promise<Stored | 'moved'> {
  const written = writeThrough(core, served, mutation);
  return 'conflict' in written ? 'moved' : written;
}

function markDeleted(meta: ObjectMeta, now: Date, grace: number | undefined): void {
  if (meta.deletionTimestamp !== undefined) {
    if (grace !== undefined) shortenGrace(meta, grace);
    return;
  }
  meta.deletionTimestamp = kubeTime(new Date(now.getTime() + (grace ?? 0) * 1000));
  if (grace === undefined) return;
  meta.deletionGracePeriodSeconds = grace;
  if (meta.generation !== undefined) meta.generation += 1;
}

/** A second delete may only hurry. */
function shortenGrace(meta: ObjectMeta, grace: number): void {
  const before = meta.deletionGracePeriodSeconds ?? 0;
  if (grace >= before) return;
  const asked = Date.parse(meta.deletionTimestamp ?? '') - before * 1000;
  meta.deletionTimestamp = kubeTime(new Date(asked + grace * 1000));
  meta.deletionGracePeriodSeconds = grace;
}

/** Adds or removes the garbage collector's finalizers according to the propagation policy asked for. */
function finalizersAfterDelete(served: ServedResource, live: KubeObject, options: DeleteOptions): string[] {
  const others = (live.metadata.finalizers ?? []).filter((f) => f !== 'orphan' && f !== 'foregroundDeletion');
  const had = new Set(live.metadata.finalizers ?? []);
  const policy = options.propagationPolicy ?? defaultPolicy(served, had);
  if (policy === 'Orphan') return [...others, 'orphan'];
  if (policy === 'Foreground') return [...others, 'foregroundDeletion'];
  return others;
}

function defaultPolicy(served: ServedResource, finalizers: Set<string>): DeleteOptions['propagationPolicy'] {
  if (finalizers.has('orphan')) return 'Orphan';
  if (finalizers.has('foregroundDeletion')) return 'Foreground';
  return served.strategy.defaultPropagation ?? 'Background';
}

/** Throws 409 unless the object is the one the delete was meant for. */
export function checkPreconditions(served: ServedResource, options: DeleteOptions, live: KubeObject): void {
  const { uid, resourceVersion } = options.preconditions;
  const meta = live.metadata;
  if (uid !== undefined && uid !== meta.uid) {
    if (served.bucket === namespaceBucket) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${meta.uid ?? ''}`;
      throw conflict(served, meta.name ?? '', why);
    }
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid ?? ''})`;
    throw preconditionFailed(served, meta, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion ?? ''})`;
    throw preconditionFailed(served, meta, `${why}. The object might have been modified`);
  }
}

function preconditionFailed(served: ServedResource, meta: ObjectMeta, why: string): ApiError {
  return conflict({ group: served.group, resource: served.kind }, meta.name ?? '', why);
}
