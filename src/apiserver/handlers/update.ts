import type { ServerCore } from '../core.ts';
import { PendingConversion } from '../crd/conversion.ts';
import { equalIgnoringManagedFieldsTimestamps } from '../field-manager/index.ts';
import { asJson, copyObject, type KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { type ApiError, conflict, internalError, invalid, notFound, plainError, staleWrite } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';
import type { WriteResult } from './create.ts';
import { prepareForUpdate } from './prepare-update.ts';
import { refuseUnpresentable } from './present.ts';
import { strategyContext } from './strategy-context.ts';
import { refuseInvalid, validateForUpdate } from './validate.ts';
import { optionsObject, type WriteOptions } from './write-options.ts';
import { writeThrough } from './write-through.ts';

/** One read-modify-write of an existing object. */
export interface Change {
  readonly key: Key;
  readonly subresource: string;
  readonly options: WriteOptions;
  /** Makes the new object from the live one; called again when somebody else wrote in between. */
  transform(live: KubeObject): KubeObject | Promise<KubeObject>;
  /** True when `transform` has already set managedFields (server-side apply). */
  readonly isManaged: boolean;
  /** What the answer shows, when that is not the object itself. */
  readonly shownAs?: ServedResource;
  /** True for a PUT, whose uid is a precondition; a patch that changes the uid is just wrong. */
  readonly isReplacement?: boolean;
}

const missingVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
const attempts = 20;
/** More conversions than one object can have owners in different versions. */
const maxWaits = 100;

/** Changes an object, again and again until no other writer came between or the client must decide. */
export async function updateObject(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  change: Change,
): Promise<WriteResult> {
  for (let attempt = 1, waits = 0; ; attempt++) {
    const stored = core.store.head(change.key);
    if (stored === undefined) throw notFound(served, change.key.name);
    if (attempt === 1 && waits === 0) context.work.takeOn(stored.json);
    const result = await tryUpdate(core, context, served, change, stored).catch(waitForConversion);
    if (result === 'waited' && waits++ < maxWaits) attempt--;
    else if (result !== 'moved' && result !== 'waited') return result;
    if (attempt >= attempts) throw conflict(served, change.key.name, staleWrite);
  }
}

/** Who owns what may depend on a conversion webhook's answer: wait for it, then start again. */
async function waitForConversion(error: unknown): Promise<'waited'> {
  if (!(error instanceof PendingConversion)) throw error;
  await error.done;
  return 'waited';
}

async function tryUpdate(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  change: Change,
  stored: Stored,
): Promise<WriteResult | 'moved'> {
  const live = await served.read(stored);
  const wanted = await change.transform(copyObject(live));
  checkPreconditions(served, change, wanted, live);
  let next = wanted;
  await context.work.pause();
  if (!change.isManaged) trackUpdate(served, change, next, live, context.now);
  await context.work.pause();
  next = await admitUpdate(core, context, served, change, next, live);
  if ((next.apiVersion ?? '') === '') throw internalError(missingVersion);
  prepareForUpdate(core, context, served, { object: next, old: live, subresource: change.subresource });
  if (change.isManaged || change.subresource !== '') settleManagedFields(next);
  const isStatus = change.subresource === 'status';
  const errors = validateForUpdate(served, { object: next, old: live, isStatus }, strategyContext(core, context));
  refuseInvalid(served, next, errors);
  await validateByAdmission(core, context, served, change, next, live);
  refuseUnpresentable(context, change.shownAs ?? served);
  await context.work.pause();
  return commitUpdate(core, served, change, { next, live, stored });
}

function checkPreconditions(served: ServedResource, change: Change, next: KubeObject, live: KubeObject): void {
  const { uid, resourceVersion } = next.metadata;
  if (change.isReplacement && uid !== undefined && uid !== '' && uid !== live.metadata.uid) {
    throw conflict(served, change.key.name, uidMismatch(served, change.key, uid, live.metadata.uid ?? ''));
  }
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (!served.allowsUnconditionalUpdate) throw versionRequired(served, change.key.name);
  } else if (resourceVersion !== live.metadata.resourceVersion) {
    if (!/^\d+$/.test(resourceVersion))
      throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
    throw conflict(served, change.key.name, staleWrite);
  }
  if (uid === undefined || uid === '') next.metadata.uid = live.metadata.uid ?? '';
  next.metadata.resourceVersion = live.metadata.resourceVersion ?? '';
}

function uidMismatch(served: ServedResource, key: Key, asked: string, found: string): string {
  const path = [
    served.origin === 'custom' ? `${served.group}/${served.resource}` : served.resource,
    key.namespace,
    key.name,
  ];
  const where = `Key: /registry/${path.filter((p) => p !== '').join('/')}, ResourceVersion: 0`;
  const why = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;
  return `StorageError: invalid object, Code: 4, ${where}, AdditionalErrorMsg: ${why}`;
}

function versionRequired(served: ServedResource, name: string): ApiError {
  const kind = { group: served.group, kind: served.resource };
  const detail = 'must be specified for an update';
  return invalid(kind, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', badValue: 0, detail }]);
}

function trackUpdate(served: ServedResource, change: Change, next: KubeObject, live: KubeObject, now: Date): void {
  const entries = served.fieldManager.update({
    live,
    next,
    manager: change.options.fieldManager,
    subresource: change.subresource,
    now,
  });
  if (entries.length > 0) next.metadata.managedFields = entries;
  else delete next.metadata.managedFields;
}

function settleManagedFields(next: KubeObject): void {
  if (next.metadata.managedFields?.length === 0) delete next.metadata.managedFields;
}

function attributes(
  context: RequestContext,
  served: ServedResource,
  change: Change,
  next: KubeObject,
  live: KubeObject,
) {
  return {
    operation: 'UPDATE' as const,
    resource: served,
    subresource: change.subresource,
    namespace: change.key.namespace,
    name: change.key.name,
    object: next,
    oldObject: live,
    options: optionsObject(change.options, 'UpdateOptions'),
    user: context.user,
    dryRun: change.options.dryRun,
    warn: (text: string) => context.warnings.add(text),
  };
}

async function admitUpdate(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  change: Change,
  next: KubeObject,
  live: KubeObject,
): Promise<KubeObject> {
  if (core.admission.isIdle(served, 'UPDATE')) return next;
  const admitted = await core.admission.mutate(attributes(context, served, change, next, live));
  if (admitted === undefined || admitted === next) return next;
  served.compiled.prune(asJson(admitted));
  served.compiled.applyDefaults(asJson(admitted));
  return admitted;
}

async function validateByAdmission(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  change: Change,
  next: KubeObject,
  live: KubeObject,
): Promise<void> {
  if (core.admission.isIdle(served, 'UPDATE')) return;
  await core.admission.validate(attributes(context, served, change, next, live));
}

async function commitUpdate(
  core: ServerCore,
  served: ServedResource,
  change: Change,
  versions: { next: KubeObject; live: KubeObject; stored: Stored },
): Promise<WriteResult | 'moved'> {
  const { next, live, stored } = versions;
  if (change.options.dryRun) return { dryRun: next };
  const isSame = equalIgnoringManagedFieldsTimestamps(next, live);
  const object = isSame && served.isWrittenByThis(stored) ? undefined : await served.toStorage(next);
  if (object === undefined || (isSame && isStoredAs(stored, object))) {
    await core.store.durable(stored); // nothing to write, but what is answered must be on disk
    return { stored };
  }
  const isGone = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
  const isFreed = isGone && (next.metadata.deletionGracePeriodSeconds ?? 0) === 0;
  const kind = isFreed && served.strategy.isHeldWhenDeleted?.(next) !== true ? 'delete' : 'update';
  const written = writeThrough(core, served, { kind, key: change.key, object, expect: stored.revision });
  if (!('conflict' in written)) return { stored: answered(await written, stored, kind) };
  if (written.conflict === 'missing') throw notFound(served, change.key.name);
  return 'moved';
}

/** A write that changes nothing still brings a text that an older definition wrote into the form of this one. */
function isStoredAs(stored: Stored, object: KubeObject): boolean {
  return equalIgnoringManagedFieldsTimestamps(object, JSON.parse(stored.json) as KubeObject);
}

/** The write that removes the last finalizer is answered with the object as it was last seen, not with its tombstone. */
function answered(written: Stored, before: Stored, kind: 'update' | 'delete'): Stored {
  if (kind === 'update') return written;
  const json = written.json.replace(
    `"resourceVersion":"${written.revision}"`,
    `"resourceVersion":"${before.revision}"`,
  );
  return { ...written, revision: before.revision, json };
}
