import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import type { ServerCore } from '../core.ts';
import { readBody } from '../http/body.ts';
import { bodyMediaType, decodePatch, parseBody } from '../http/decode.ts';
import { asJson, type KubeObject } from '../object.ts';
import { applyJsonPatch, applyMergePatch } from '../patch/index.ts';
import type { Answer, RequestContext } from '../request-context.ts';
import type { ScalePaths, ServedResource } from '../served-resource.ts';
import { badRequest, methodNotSupported, notFound } from '../status.ts';
import type { Key } from '../store/store.ts';
import { applyPatches, checkMediaType, jsonPatch, unusablePatch } from './patch.ts';
import { presentObject } from './present.ts';
import {
  checkScaleNames,
  isScale,
  requireReplicas,
  scaleOf,
  scalePatch,
  scaleTable,
  scaleType,
  withScale,
} from './scale.ts';
import { type Change, updateObject } from './update.ts';
import { readWriteOptions, type WriteOptions } from './write-options.ts';

/** Answers a request to the scale of an object. */
export async function dispatchScale(
  core: ServerCore,
  context: RequestContext,
  target: { served: ServedResource; paths: ScalePaths; key: Key },
): Promise<Answer> {
  const { served, paths, key } = target;
  const { verb } = context.info;
  if (verb === 'get') {
    const stored = core.store.get(key);
    if (stored === undefined) throw notFound(served, key.name);
    const object = await served.read(stored);
    requireReplicas(paths, object);
    return shown(context, target, object);
  }
  if (verb !== 'patch' && verb !== 'update') throw methodNotSupported(served, verb);
  const how = verb === 'update' ? await readPut(context, key) : await readPatch(context, target);
  const result = await updateObject(core, context, served, {
    key,
    subresource: 'scale',
    options: how.options,
    isManaged: how.isManaged === true,
    isReplacement: verb === 'update',
    transform: (live) => how.change(target, live),
    shownAs: asScale(served),
  });
  const object = 'stored' in result ? await served.read(result.stored) : result.dryRun;
  return shown(context, target, object);
}

/** For whoever asks for another form of it, a Scale is a built-in kind of its own. */
function asScale(served: ServedResource): ServedResource {
  return { ...served, origin: 'builtin', group: 'autoscaling', kind: 'Scale', table: scaleTable };
}

function shown(
  context: RequestContext,
  { served, paths }: { served: ServedResource; paths: ScalePaths },
  object: KubeObject,
): Answer {
  const json = JSON.stringify(scaleOf(served, paths, object));
  return { code: 200, json: presentObject(context, asScale(served), json) };
}

interface ScaleChange extends Pick<Change, 'options'> {
  readonly isManaged?: boolean;
  change(target: { served: ServedResource; paths: ScalePaths }, live: KubeObject): KubeObject | Promise<KubeObject>;
}

async function readPut(context: RequestContext, key: Key): Promise<ScaleChange> {
  const options = readWriteOptions(context, 'UpdateOptions');
  const body = { bytes: await readBody(context.request), mediaType: bodyMediaType(context) };
  const scale = (await parseBody(context, body, scaleType)).value;
  if (!isScale(scale))
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"');
  checkScaleNames(key, scale);
  return { options, change: ({ paths }, live) => withScale(paths, live, scale) };
}

async function readPatch(
  context: RequestContext,
  { served, key }: { served: ServedResource; key: Key },
): Promise<ScaleChange> {
  const mediaType = bodyMediaType(context);
  checkMediaType(served, mediaType);
  const isApply = applyPatches.has(mediaType);
  const options = readWriteOptions(context, isApply ? 'apply' : 'patch');
  const body = await readBody(context.request);
  if (isApply) return readApply(context, options, { key, body });
  return {
    options,
    async change({ paths }, live) {
      // Not before there is something to patch: an object that is not there is told first.
      const patch = await decodePatch(context, body, { isArray: mediaType === jsonPatch });
      const current = asJson(scaleOf(served, paths, live));
      const scale = Array.isArray(patch) ? applyJsonPatch(current, patch) : applyMergePatch(current, patch);
      if (!isScale(scale)) throw unusablePatch(JSON.stringify(scale), whyNoScale(scale));
      checkScaleNames(key, scale);
      return withScale(paths, live, scale);
    },
  };
}

function whyNoScale(scale: Json): string {
  const { apiVersion, kind } = isJsonObject(scale) ? scale : {};
  return `${String(apiVersion)}, Kind=${String(kind)} with these fields is no Scale`;
}

/** An applied Scale owns the field of the object that it sets, and nothing else. */
function readApply(
  context: RequestContext,
  options: WriteOptions,
  { key, body }: { key: Key; body: Buffer },
): ScaleChange {
  return {
    options,
    isManaged: true,
    async change({ served, paths }, live) {
      const scale = await decodeApplied(context, key, body);
      const { fieldManager: manager, force } = options;
      const patch = scalePatch(served, { paths, key, scale });
      const merged = served.fieldManager.apply({ live, patch, manager, force, subresource: 'scale', now: context.now });
      return withScale(paths, merged, scale);
    },
  };
}

async function decodeApplied(context: RequestContext, key: Key, body: Buffer): Promise<JsonObject> {
  const scale = await decodePatch(context, body, { isArray: false, isYaml: true });
  const { apiVersion, kind }: JsonObject = isJsonObject(scale) ? scale : {};
  if (!isScale(scale) || kind === undefined || apiVersion === undefined)
    throw badRequest(`invalid object type: ${String(apiVersion ?? '/')}, Kind=${String(kind ?? '')}`);
  const metadata = { name: key.name, ...(isJsonObject(scale.metadata) ? scale.metadata : {}) };
  checkScaleNames(key, { ...scale, metadata });
  return scale;
}
