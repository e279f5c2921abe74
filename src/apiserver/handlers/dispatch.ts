import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import type { ServerCore } from '../core.ts';
import { readBody } from '../http/body.ts';
import { bodyMediaType, checkBodyType, decodeObject, parseEncoded, typeMetaFault } from '../http/decode.ts';
import { isTrue, type RequestInfo } from '../http/request-info.ts';
import { copyObject, type KubeObject } from '../object.ts';
import { protobufMediaType } from '../protobuf/index.ts';
import type { Answer, RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, badRequest, methodNotAllowed, methodNotSupported, notFound, plainError } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';
import { createObject, type WriteResult } from './create.ts';
import { deleteObject } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { readDeleteOptions } from './delete-options.ts';
import { dispatchScale } from './dispatch-scale.ts';
import { checkSelectors, compileFilter } from './filter.ts';
import { badVersion, listObjects, tooLargeVersion } from './list.ts';
import { checkIntegers, checkListOptions, checkWatchOptions } from './list-options.ts';
import { patchObject } from './patch.ts';
import { checkPathName } from './path-name.ts';
import { presentList, presentObject } from './present.ts';
import { updateObject } from './update.ts';
import { watchObjects } from './watch.ts';
import { readWriteOptions } from './write-options.ts';

/** Answers a request for a stored resource; undefined when the answer was streamed. */
export async function dispatch(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
): Promise<Answer | undefined> {
  try {
    return await answer(core, context, served);
  } catch (error) {
    // "Not found" and "conflict" rest on writes that may still be on their way to disk: a crash must not undo them.
    const rests = error instanceof ApiError && (error.code === 404 || error.code === 409);
    if (rests && context.info.name !== '') await core.store.settled(keyOf(context, served));
    throw error;
  }
}

async function answer(core: ServerCore, context: RequestContext, served: ServedResource): Promise<Answer | undefined> {
  const { info } = context;
  if (served.deprecationWarning !== undefined) context.warnings.add(served.deprecationWarning);
  // Of a write, what it brings is looked at first.
  if (!['update', 'patch', 'delete'].includes(info.verb)) checkPathName(info.name);
  if (info.verb === 'get') checkGetVersion(core, info.query.get('resourceVersion'));
  if (info.subresource === 'scale' && served.scale !== undefined)
    return dispatchScale(core, context, { served, paths: served.scale, key: keyOf(context, served) });
  switch (info.verb) {
    case 'get':
      return {
        code: 200,
        json: presentObject(context, served, await served.render(requireStored(core, served, keyOf(context, served)))),
      };
    case 'list':
      return { code: 200, json: await presentList(context, served, await listObjects(core, context, served)) };
    case 'watch':
      await watchObjects(core, context, served);
      return undefined;
    case 'create':
      return handleCreate(core, context, served);
    case 'update':
      return handleUpdate(core, context, served);
    case 'patch':
      return handlePatch(core, context, served);
    case 'delete':
      return handleDelete(core, context, served);
    case 'deletecollection':
      return handleDeleteCollection(core, context, served);
    default:
      throw methodNotSupported(served, info.verb);
  }
}

const subresourceVerbs = new Set(['get', 'update', 'patch']);

/** Whole collections cannot be replaced, built-in objects not be created under a name, subresources not deleted. */
export function refuseWrongMethod(info: RequestInfo, served: ServedResource): void {
  const isNamed = info.name !== '';
  const isBuiltin = served.origin === 'builtin';
  const isForAll = (info.verb === 'update' || info.verb === 'patch') && !isNamed;
  if (isForAll && !isBuiltin && info.verb === 'update') throw badRequest('name must be provided');
  const isWrong =
    (info.method === 'HEAD' && served.origin === 'builtin') ||
    (info.verb === 'watch' && info.method !== 'GET' && info.method !== 'HEAD') ||
    (info.verb === 'create' && isNamed && isBuiltin) ||
    (isForAll && isBuiltin) ||
    (info.subresource !== '' && !subresourceVerbs.has(info.verb)) ||
    (info.subresource === '' && !served.verbs.includes(info.verb));
  if (!isWrong) return;
  throw isBuiltin ? methodNotAllowed() : methodNotSupported(served, info.verb);
}

/** A get shows the newest version, which must not be older than the one the client has seen. */
function checkGetVersion(core: ServerCore, version: string | null): void {
  if (version === null || version === '') return;
  if (!/^\d+$/.test(version)) throw plainError(badVersion(version));
  if (Number(version) > core.store.revision()) throw tooLargeVersion(Number(version), core.store.revision());
}

function keyOf(context: RequestContext, served: ServedResource): Key {
  const namespace = served.namespaced ? context.info.namespace : '';
  return { bucket: served.bucket, namespace, name: context.info.name };
}

function requireStored(core: ServerCore, served: ServedResource, key: Key): Stored {
  const stored = core.store.get(key);
  if (stored === undefined) throw notFound(served, key.name);
  return stored;
}

async function renderResult(context: RequestContext, served: ServedResource, result: WriteResult): Promise<string> {
  const json = 'stored' in result ? await served.render(result.stored) : JSON.stringify(result.dryRun);
  return presentObject(context, served, json);
}

async function handleCreate(core: ServerCore, context: RequestContext, served: ServedResource): Promise<Answer> {
  checkBodyType(context);
  const options = readWriteOptions(context, 'CreateOptions');
  const object = await decodeObject(context, served, await readBody(context.request), options.fieldValidation);
  const result = await createObject(core, context, served, object, options);
  return { code: 201, json: await renderResult(context, served, result) };
}

async function handleUpdate(core: ServerCore, context: RequestContext, served: ServedResource): Promise<Answer> {
  const options = readWriteOptions(context, 'UpdateOptions');
  const body = await readBody(context.request);
  const object = await decodeObject(context, served, body, options.fieldValidation);
  checkPathName(context.info.name);
  const key = keyOf(context, served);
  checkNames(key, object);
  const isMissing = core.store.head(key) === undefined;
  if (isMissing && served.allowsCreateOnUpdate && context.info.subresource === '') {
    context.demand('create');
    delete object.metadata.resourceVersion; // the version of nothing says nothing
    const result = await createObject(core, context, served, object, options);
    return { code: 201, json: await renderResult(context, served, result) };
  }
  const result = await updateObject(core, context, served, {
    key,
    subresource: context.info.subresource,
    options,
    isManaged: false,
    isReplacement: true,
    transform: () => copyObject(object),
  });
  return { code: 200, json: await renderResult(context, served, result) };
}

function checkNames(key: Key, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  if ((name ?? '') === '') throw badRequest('name must be provided');
  if (name !== key.name) {
    throw badRequest(`the name of the object (${name ?? ''}) does not match the name on the URL (${key.name})`);
  }
  if ((namespace ?? '') !== '' && namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (key.namespace !== '') object.metadata.namespace = key.namespace;
}

async function handlePatch(core: ServerCore, context: RequestContext, served: ServedResource): Promise<Answer> {
  const request = {
    key: keyOf(context, served),
    subresource: context.info.subresource,
    mediaType: bodyMediaType(context),
    body: await readBody(context.request),
  };
  const { result, isCreated } = await patchObject(core, context, served, request);
  return { code: isCreated ? 201 : 200, json: await renderResult(context, served, result) };
}

async function readOptionsBody(context: RequestContext): Promise<JsonObject | undefined> {
  const bytes = await readBody(context.request);
  if (bytes.length === 0) return undefined;
  const body = { bytes, mediaType: bodyMediaType(context) };
  const parsed = await parseEncoded(context, body, { apiVersion: 'v1', kind: 'DeleteOptions' });
  // To kube-apiserver options that it cannot read are a fault of its own. No client relies on that for protobuf.
  if ('error' in parsed)
    throw body.mediaType === protobufMediaType ? badRequest(parsed.error) : plainError(parsed.error);
  if (!isJsonObject(parsed.value)) throw plainError(typeMetaFault(parsed.value));
  return parsed.value;
}

async function handleDelete(core: ServerCore, context: RequestContext, served: ServedResource): Promise<Answer> {
  const options = readDeleteOptions(context, await readOptionsBody(context));
  checkPathName(context.info.name);
  const outcome = await deleteObject(core, context, served, { key: keyOf(context, served), options });
  if (!outcome.isGone || served.strategy.returnsDeleted === true) {
    const json = outcome.stored === undefined ? JSON.stringify(outcome.object) : await served.render(outcome.stored);
    return { code: options.orphanDependents === false ? 202 : 200, json: presentObject(context, served, json) };
  }
  const { metadata } = outcome.object;
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.resource,
      uid: metadata.uid,
    },
  };
  return { code: 200, json: JSON.stringify(status) };
}

async function handleDeleteCollection(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
): Promise<Answer> {
  const { query } = context.info;
  checkIntegers(query);
  checkSelectors(query);
  if (isTrue(query.get('watch'))) checkWatchOptions(query);
  else checkListOptions(query);
  compileFilter(served, query); // a selector of a field that there is not is told before a body that cannot be read
  const options = readDeleteOptions(context, await readOptionsBody(context));
  const page = await deleteCollection(core, context, served, options);
  return { code: 200, json: await presentList(context, served, page) };
}
