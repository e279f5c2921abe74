import { kubeTime, type ServerCore } from '../core.ts';
import { dropRepeatedOwners } from '../meta/owner-references.ts';
import { asJson, copyObject, type KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { alreadyExists, badRequest, plainError } from '../status.ts';
import type { Stored } from '../store/store.ts';
import { checkNamespaceForCreate } from './namespace-lifecycle.ts';
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
  const namespace = served.namespaced ? context.info.namespace : '';
  settleNamespace(served, object, namespace);
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== '' && meta.resourceVersion !== '0') {
    throw plainError('resourceVersion should not be set on objects to be created');
  }
  const generates = (meta.name ?? '') === '' && (meta.generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const candidate = generates && attempt < nameAttempts ? copyObject(object) : object;
    if (generates) candidate.metadata.name = generatedName(meta.generateName ?? '', core.newSuffix());
    const result = await createNamed(core, context, served, candidate, options, managed === 'already');
    if (result !== 'exists') return result;
    if (!generates || attempt >= nameAttempts) throw alreadyExists(served, candidate.metadata.name ?? '');
  }
}

function generatedName(prefix: string, suffix: string): string {
  return `${prefix.slice(0, 63 - suffix.length)}${suffix}`;
}

function settleNamespace(served: ServedResource, object: KubeObject, namespace: string): void {
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
  if (!isManaged) trackCreation(served, object, options, context.now);
  const admitted = await admitCreate(core, context, served, object, options);
  prepareForCreate(core, context, served, admitted);
  refuseInvalid(served, admitted, validateForCreate(served, admitted, strategyContext(core, context)));
  await validateByAdmission(core, context, served, admitted, options);
  const key = {
    bucket: served.bucket,
    namespace: admitted.metadata.namespace ?? '',
    name: admitted.metadata.name ?? '',
  };
  if (options.dryRun) return core.store.head(key) === undefined ? { dryRun: admitted } : 'exists';
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
  delete meta.resourceVersion;
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

/** What the server itself sets on a new object: no status, generation 1, the kind's own preparations. */
function prepareForCreate(core: ServerCore, context: RequestContext, served: ServedResource, object: KubeObject): void {
  dropRepeatedOwners(object.metadata, (text) => context.warnings.add(text), 'after-admission');
  if (served.hasStatus && served.origin === 'custom') delete object.status;
  if (served.origin === 'custom' || served.strategy.hasGeneration === true) object.metadata.generation = 1;
  served.strategy.prepareForCreate?.(object, strategyContext(core, context));
}
