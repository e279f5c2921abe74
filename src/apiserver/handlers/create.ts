import { kubeTime, type ServerCore } from '../core.ts';
import { dropRepeatedOwners } from '../meta/owner-references.ts';
import { asJson, copyObject, type KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { type ApiError, alreadyExists, badRequest, plainError } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';
import { checkNamespaceForCreate } from './namespace-lifecycle.ts';
import { refuseUnpresentable } from './present.ts';
import { strategyContext } from './strategy-context.ts';
import { refuseInvalid, validateForCreate } from './validate.ts';
import { optionsObject, type WriteOptions } from './write-options.ts';
import { writeThrough } from './write-through.ts';

const nameAttempts = 8;

/** What a write left behind: the stored version, or for a dry run only the object that would have been. */
export type WriteResult = { readonly stored: Stored } | { readonly dryRun: KubeObject };

/** Creates a decoded object of the served version; throws ApiError when it may not be. */
export async function createObject(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  object: KubeObject,
  options: WriteOptions,
  managed?: 'already',
): Promise<WriteResult> {
  const meta = object.metadata;
  settleNamespace(served, object, context.info.namespace);
  const generates = (meta.name ?? '') === '' && (meta.generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const candidate = generates && attempt < nameAttempts ? copyObject(object) : object;
    if (generates) candidate.metadata.name = generatedName(meta.generateName ?? '', core.newSuffix());
    const result = await createNamed(core, context, served, candidate, options, managed === 'already');
    if (result !== 'exists') return result;
    if (!generates || attempt >= nameAttempts) throw existsAlready(core, served, keyOf(served, candidate));
  }
}

function keyOf(served: ServedResource, { metadata }: KubeObject): Key {
  return { bucket: served.bucket, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** 409; whoever waits for the old one to go is told that it is on its way. */
function existsAlready(core: ServerCore, served: ServedResource, key: Key): ApiError {
  const error = alreadyExists(served, key.name);
  const stored = core.store.head(key);
  if (stored !== undefined && isBeingDeleted(stored.json))
    error.status.message = `object is being deleted: ${error.status.message}`;
  return error;
}

function isBeingDeleted(json: string): boolean {
  return (
    json.includes('"deletionTimestamp"') && (JSON.parse(json) as KubeObject).metadata.deletionTimestamp !== undefined
  );
}

function generatedName(prefix: string, suffix: string): string {
  return `${prefix.slice(0, 63 - suffix.length)}${suffix}`;
}

/** Nothing that is about to be stored may claim to have been; what is no version at all claims nothing. */
function refuseVersion({ resourceVersion = '' }: KubeObject['metadata']): void {
  if (/^\d{1,19}$/.test(resourceVersion) && Number(resourceVersion) > 0)
    throw plainError('resourceVersion should not be set on objects to be created');
}

/** Neither a client nor an admission webhook may put an object elsewhere than the request says. */
function settleNamespace(served: ServedResource, object: KubeObject, asked: string): void {
  const namespace = served.namespaced ? asked : '';
  const given = object.metadata.namespace ?? '';
  if (!served.namespaced) {
    delete object.metadata.namespace; // a namespace means nothing here, and is not an error either
    return;
  }
  if (given !== '' && given !== namespace) throw badRequest(namespaceMismatch);
  object.metadata.namespace = namespace;
}

const namespaceMismatch = 'the namespace of the provided object does not match the namespace sent on the request';

async function createNamed(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  object: KubeObject,
  options: WriteOptions,
  isManaged: boolean,
): Promise<WriteResult | 'exists'> {
  fillSystemFields(core, object, context.now);
  checkNamespaceForCreate(core, served, object);
  if (!isManaged) {
    await context.work.pause();
    trackCreation(served, object, options, context.now);
  }
  await context.work.pause();
  const admitted = await admitCreate(core, context, served, object, options);
  if (admitted !== object) settleNamespace(served, admitted, context.info.namespace);
  prepareForCreate(core, context, served, admitted);
  refuseInvalid(served, admitted, validateForCreate(served, admitted, strategyContext(core, context)));
  await context.work.pause();
  await validateByAdmission(core, context, served, admitted, options);
  const key = keyOf(served, admitted);
  if (core.store.head(key) === undefined) refuseUnpresentable(context, served);
  if (options.dryRun) return core.store.head(key) === undefined ? { dryRun: admitted } : 'exists';
  refuseVersion(admitted.metadata);
  delete admitted.metadata.resourceVersion;
  const written = writeThrough(core, served, { kind: 'create', key, object: await served.toStorage(admitted) });
  if ('conflict' in written) {
    if (written.head !== undefined) await core.store.durable(written.head);
    return 'exists';
  }
  return { stored: await written };
}

function fillSystemFields(core: ServerCore, object: KubeObject, now: Date): void {
  const meta = object.metadata;
  meta.uid = core.newUid();
  meta.creationTimestamp = kubeTime(now);
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

function trackCreation(served: ServedResource, object: KubeObject, options: WriteOptions, now: Date): void {
  const entries = served.fieldManager.update({
    live: undefined,
    next: object,
    manager: options.fieldManager,
    subresource: '',
    now,
  });
  if (entries.length > 0) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}

async function admitCreate(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  object: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  if (core.admission.isIdle(served, 'CREATE')) return object;
  const admitted = await core.admission.mutate(createAttributes(context, served, object, options));
  if (admitted === undefined || admitted === object) return object;
  served.compiled.prune(asJson(admitted));
  served.compiled.applyDefaults(asJson(admitted));
  return admitted;
}

async function validateByAdmission(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  object: KubeObject,
  options: WriteOptions,
): Promise<void> {
  if (core.admission.isIdle(served, 'CREATE')) return;
  await core.admission.validate(createAttributes(context, served, object, options));
}

function createAttributes(context: RequestContext, served: ServedResource, object: KubeObject, options: WriteOptions) {
  return {
    operation: 'CREATE' as const,
    resource: served,
    subresource: '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    object,
    oldObject: undefined,
    options: optionsObject(options, 'CreateOptions'),
    user: context.user,
    dryRun: options.dryRun,
    warn: (text: string) => context.warnings.add(text),
  };
}

/** The client's status goes; one that the schema gives to every object comes in its place. */
function dropStatus(served: ServedResource, object: KubeObject): void {
  delete object.status;
  if (served.schema.properties?.status?.default !== undefined) served.compiled.applyDefaults(asJson(object));
}

/** What the server itself sets on a new object: no status, generation 1, the kind's own preparations. */
function prepareForCreate(core: ServerCore, context: RequestContext, served: ServedResource, object: KubeObject): void {
  dropRepeatedOwners(object.metadata, (text) => context.warnings.add(text), 'after-admission');
  if (served.hasStatus && served.origin === 'custom') dropStatus(served, object);
  if (served.origin === 'custom' || served.strategy.hasGeneration === true) object.metadata.generation = 1;
  served.strategy.prepareForCreate?.(object, strategyContext(core, context));
}
