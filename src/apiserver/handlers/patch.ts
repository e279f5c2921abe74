import { decodeFault, goJson, isJsonObject, type Json, type JsonObject, objectMetaSchema } from '../../schema/index.ts';
import type { ServerCore } from '../core.ts';
import { builtinTypeFault, decodePatch, finishDecoding, refuseUnknownFields, typeMetaFault } from '../http/decode.ts';
import { asJson, type KubeObject } from '../object.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, convertFault, copyJson } from '../patch/index.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, badRequest, conflict, invalid, notFound, unsupportedMediaType } from '../status.ts';
import type { Key } from '../store/store.ts';
import { createObject, type WriteResult } from './create.ts';
import { checkPathName } from './path-name.ts';
import { updateObject } from './update.ts';
import { readWriteOptions, type WriteOptions } from './write-options.ts';

/** The media type of JSON patches. */
export const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
/** Server-side apply, in either encoding. */
export const applyPatches = new Set(['application/apply-patch+yaml', 'application/apply-patch+cbor']);

/** A patch and where it goes. */
export interface PatchRequest {
  readonly key: Key;
  readonly subresource: string;
  readonly mediaType: string;
  readonly body: Buffer;
}

/** Patches an object in any of the four formats; reports whether server-side apply created it. */
export async function patchObject(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  request: PatchRequest,
): Promise<{ result: WriteResult; isCreated: boolean }> {
  checkMediaType(served, request.mediaType);
  const isApply = applyPatches.has(request.mediaType);
  const options = readWriteOptions(context, isApply ? 'apply' : 'patch');
  if (isApply) return applyObject(core, context, served, request, options);
  checkPathName(request.key.name);
  const isBare = request.mediaType === strategicPatch;
  const decode = () => decodePatch(context, request.body, { isArray: request.mediaType === jsonPatch, isBare });
  let decoded: Json | undefined;
  const result = await updateObject(core, context, served, {
    key: request.key,
    subresource: request.subresource,
    options,
    isManaged: false,
    transform: async (live) => {
      // Not before there is something to patch: an object that is not there is told first.
      const patch = decoded ?? (await decode());
      decoded = patch;
      const patchLive = () => patchedObject(served, request.mediaType, live, patch);
      // Only a patch that is refused is shown, by then without its unknown fields: it is made once more for that.
      const show = () => (request.mediaType === strategicPatch ? goMap(patch) : goJson(patchLive()));
      return finishPatched(context, served, request, { patched: patchLive(), show, options });
    },
  });
  return { result, isCreated: false };
}

/** Throws 415 unless the resource takes such patches. */
export function checkMediaType(served: ServedResource, mediaType: string): void {
  const supported =
    served.origin === 'custom'
      ? [jsonPatch, mergePatch, 'application/apply-patch+yaml']
      : [jsonPatch, mergePatch, strategicPatch, 'application/apply-patch+yaml'];
  if (supported.includes(mediaType)) return;
  if (served.origin === 'builtin') throw unsupportedMediaType('415: Unsupported Media Type', {});
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  );
}

function patchedObject(served: ServedResource, mediaType: string, live: KubeObject, patch: Json): JsonObject {
  const document = asJson(live);
  const patched =
    mediaType === jsonPatch ? applyJsonPatch(document, patch) : mergedObject(served, mediaType, document, patch);
  if (!isJsonObject(patched)) throw unusablePatch(goJson(patched), typeMetaFault(patched));
  return patched;
}

function mergedObject(served: ServedResource, mediaType: string, document: JsonObject, patch: Json): Json {
  if (!isJsonObject(patch)) throw badRequest('the patch must be a JSON object');
  if (mediaType === mergePatch) return applyMergePatch(document, patch);
  return applyStrategicMergePatch(document, patch, served.schema);
}

/** A patched object is decoded again: unknown fields are pruned and reported, defaults filled. */
function finishPatched(
  context: RequestContext,
  served: ServedResource,
  request: PatchRequest,
  made: { patched: JsonObject; show: () => string; options: WriteOptions },
): KubeObject {
  const { patched, show, options } = made;
  if (served.origin === 'builtin' && request.mediaType !== strategicPatch && (patched.apiVersion ?? '') === '')
    throw versionlessPatch(served, request.key, { patched, show });
  const fault = request.mediaType === strategicPatch ? convertFault(patched, served.schema) : undefined;
  if (fault !== undefined) throw unusablePatch(show(), fault);
  refuseUnknownFields(context, served, patched, {
    duplicates: [],
    fieldValidation: options.fieldValidation,
    refuse: (why) => unusablePatch(show(), why),
  });
  checkTypeTexts(patched, show);
  // A strategic patch is applied to the kind itself, whatever it says its name is.
  if (request.mediaType !== strategicPatch) checkPatchedType(served, patched, show);
  else Object.assign(patched, { kind: served.kind, apiVersion: served.apiVersion });
  const object = finishDecoding(served, patched);
  checkIdentity(served, request.key, object);
  return object;
}

/**
 * Without a version the real server decodes a built-in kind into its internal form. That knows none of the fields by the
 * names they have on the wire but those of metadata, which it looks for beside the kind: the object has no name.
 */
function versionlessPatch(
  served: ServedResource,
  key: Key,
  { patched, show }: { patched: JsonObject; show: () => string },
): ApiError {
  const { kind = '' } = patched;
  const isOther = kind !== null && kind !== '' && kind !== served.kind;
  const unknown = `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(served.group)}`;
  const fault = isOther ? `${unknown} in scheme "pkg/runtime/scheme.go:110"` : decodeFault(patched, objectMetaSchema);
  return fault === undefined ? namelessPatch(key) : unusablePatch(show(), fault);
}

function namelessPatch(key: Key): ApiError {
  return badRequest(`the name of the object (${key.name} based on URL) was undeterminable: name must be provided`);
}

/** 422: what the patch makes of the object is none. */
export function unusablePatch(shown: string, why: string): ApiError {
  return invalid({ group: '', kind: '' }, '', [
    { reason: 'FieldValueInvalid', field: 'patch', badValue: shown, detail: why },
  ]);
}

/** A map as Go prints it: `map[a:1 b:map[c:2]]`. */
function goMap(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key] ?? null)}`);
  return `map[${entries.join(' ')}]`;
}

/** A patch may not move an object to another name or namespace. */
function checkIdentity(served: ServedResource, key: Key, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  if ((name ?? '') === '') throw namelessPatch(key);
  if (name !== key.name) {
    throw badRequest(`the name of the object (${name ?? ''}) does not match the name on the URL (${key.name})`);
  }
  if (served.namespaced && (namespace ?? '') !== '' && namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function checkTypeTexts({ apiVersion = '', kind = '' }: JsonObject, show: () => string): void {
  if (typeof apiVersion === 'string' && typeof kind === 'string') return;
  throw unusablePatch(show(), 'apiVersion and kind must be texts');
}

function checkPatchedType(served: ServedResource, patched: JsonObject, show: () => string): void {
  if (served.origin === 'custom') {
    if ((patched.kind ?? '') === '') throw unusablePatch(show(), `Object 'Kind' is missing in '${goJson(patched)}'`);
    return; // whether it is the right one is a matter of validation
  }
  if ((patched.kind ?? '') === '') patched.kind = served.kind;
  const why = builtinTypeFault(served, patched);
  if (why !== undefined) throw unusablePatch(show(), why);
  patched.kind = served.kind;
  patched.apiVersion = served.apiVersion;
}

async function applyObject(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  request: PatchRequest,
  options: WriteOptions,
): Promise<{ result: WriteResult; isCreated: boolean }> {
  checkPathName(request.key.name);
  if (request.subresource !== '' && core.store.head(request.key) === undefined)
    throw notFound(served, request.key.name);
  const patch = await decodeApply(context, request.body);
  checkApplied(served, request.key, patch);
  const merge = (live: KubeObject | undefined): KubeObject =>
    mergeApplied(served, request, options, patch, live, context.now);
  for (;;) {
    if (core.store.head(request.key) === undefined) {
      if (request.subresource !== '') throw notFound(served, request.key.name); // gone meanwhile
      refuseUidOfNothing(served, request.key, patch);
      context.demand('create');
      const created = await createApplied(core, context, served, options, merge(undefined));
      if (created !== 'exists') return { result: created, isCreated: true };
    }
    const result = await updateApplied(core, context, served, request, options, merge);
    if (result !== 'gone') return { result, isCreated: false };
  }
}

/** A uid says which object is meant; one that is not there cannot be it. */
function refuseUidOfNothing(served: ServedResource, key: Key, patch: JsonObject): void {
  const uid = isJsonObject(patch.metadata) ? patch.metadata.uid : undefined;
  if (typeof uid !== 'string' || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(served, key.name, why);
}

async function createApplied(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  options: WriteOptions,
  object: KubeObject,
): Promise<WriteResult | 'exists'> {
  delete object.metadata.resourceVersion; // nothing is there yet that it could speak of
  try {
    return await createObject(core, context, served, object, options, 'already');
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === 'AlreadyExists') return 'exists';
    throw error;
  }
}

async function updateApplied(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  request: PatchRequest,
  options: WriteOptions,
  merge: (live: KubeObject) => KubeObject,
): Promise<WriteResult | 'gone'> {
  try {
    const { key, subresource } = request;
    return await updateObject(core, context, served, { key, subresource, options, isManaged: true, transform: merge });
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 404 && request.subresource === '';
    if (isGone && core.store.head(request.key) === undefined) return 'gone';
    throw error;
  }
}

function mergeApplied(
  served: ServedResource,
  request: PatchRequest,
  options: WriteOptions,
  patch: JsonObject,
  live: KubeObject | undefined,
  now: Date,
): KubeObject {
  const merged = served.fieldManager.apply({
    live,
    patch: copyJson(patch),
    manager: options.fieldManager,
    force: options.force,
    subresource: request.subresource,
    now,
  });
  checkAppliedName(request.key, patch);
  served.compiled.prune(asJson(merged));
  // Nulls that were applied, or that are left of maps and lists whose last item went, are the rules' to judge.
  served.compiled.fillDefaults(asJson(merged));
  if (live !== undefined) {
    const asked = isJsonObject(patch.metadata) ? patch.metadata.resourceVersion : undefined;
    merged.metadata.resourceVersion =
      typeof asked === 'string' && asked !== '' ? asked : (live.metadata.resourceVersion ?? '');
  }
  return merged;
}

async function decodeApply(context: RequestContext, body: Buffer): Promise<JsonObject> {
  const decoded = await decodePatch(context, body, { isArray: false, isYaml: true });
  if (!isJsonObject(decoded)) throw badRequest(undecodableApply(decoded));
  return decoded;
}

function undecodableApply(decoded: Json): string {
  const kind = Array.isArray(decoded) ? 'array' : typeof decoded;
  const why = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  return `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`;
}

function checkApplied(served: ServedResource, key: Key, patch: JsonObject): void {
  if (patch.metadata === undefined || patch.metadata === null) patch.metadata = {};
  const { apiVersion, kind, metadata } = patch;
  if (apiVersion === undefined || kind === undefined)
    throw badRequest(`invalid object type: /, Kind=${String(kind ?? '')}`);
  if (apiVersion !== served.apiVersion || kind !== served.kind) {
    throw badRequest(`invalid object type: ${String(apiVersion)}, Kind=${String(kind)}`);
  }
  if (!isJsonObject(metadata)) return;
  metadata.name ??= key.name;
}

/** Comes after the merge: what does not fit the kind at all is refused before. */
function checkAppliedName(key: Key, patch: JsonObject): void {
  const name = isJsonObject(patch.metadata) ? patch.metadata.name : key.name;
  if (name === key.name) return;
  throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${key.name})`);
}
