import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { builtinTypeFault } from '../http/decode.ts';
import { asJson, asKubeObject, type KubeObject } from '../object.ts';
import { applyJsonPatch } from '../patch/index.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, internalError, plainError } from '../status.ts';
import type { AdmissionAttributes } from './admission.ts';
import { behindShown, type ReviewedObjects, shownObject } from './review-request.ts';

/** Applies a webhook's patch to what it was shown. A patch that does not fit is a fault of the server's making: 500. */
export function patchSeen(patch: readonly Json[], attributes: AdmissionAttributes, seen: ReviewedObjects): KubeObject {
  const { resource, object } = seen;
  const { subresource, kind } = attributes;
  if (object === undefined) throw internalError('a deletion cannot be changed');
  const shown = shownObject(resource, subresource, object);
  let document: Json = asJson(shown);
  for (const operation of patch) document = applyOne(document, isJsonObject(operation) ? operation : {});
  const changed = isJsonObject(document) ? document : {};
  if (!isJsonObject(changed.metadata)) changed.metadata = {};
  changed.kind ??= shown.kind;
  changed.apiVersion ??= shown.apiVersion;
  if (shown === object && kind === undefined) checkDecodable(resource, changed);
  return behindShown(resource, subresource, { before: object, shown: asKubeObject(changed) });
}

function checkDecodable(resource: ServedResource, changed: JsonObject): void {
  const mismatch = builtinTypeFault(resource, changed);
  if (mismatch !== undefined) throw plainError(mismatch);
  const fault = resource.compiled.decodeFault(changed);
  if (fault !== undefined) throw internalError(fault);
}

function applyOne(document: Json, operation: JsonObject): Json {
  try {
    return applyJsonPatch(document, [operation]);
  } catch (error) {
    if (error instanceof ApiError) throw internalError(patchFault(document, operation));
    throw error;
  }
}

/** Why an operation does not apply, in the words of the patch library of kube-apiserver. */
function patchFault(document: Json, { op, path, from }: JsonObject): string {
  const at = String(path ?? '');
  const key = at.slice(at.lastIndexOf('/') + 1);
  switch (op) {
    case 'add':
    case 'remove':
      if (!hasParent(document, at))
        return `${op} operation does not apply: doc is missing path: "${at}": missing value`;
      return op === 'remove' && !hasList(document, at)
        ? `error in remove for path: '${at}': Unable to remove nonexistent key: ${key}: missing value`
        : `error in ${op} for path: '${at}': Unable to access invalid index: ${key}: invalid index referenced`;
    case 'replace':
      return `replace operation does not apply: doc is missing path: ${at}: missing value`;
    case 'test':
      return `testing value ${at} failed: test failed`;
    case 'copy':
    case 'move': {
      const source = String(from ?? '');
      const name = source.slice(source.lastIndexOf('/') + 1);
      return op === 'move' && hasParent(document, source)
        ? `error in move for path: '${name}': Unable to remove nonexistent key: ${name}: missing value`
        : `${op} operation does not apply: doc is missing from path: "${source}": missing value`;
    }
    default:
      return `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`;
  }
}

function parentOf(document: Json, path: string): Json | undefined {
  const names = path.split('/').slice(1, -1);
  let at: Json | undefined = document;
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function hasParent(document: Json, path: string): boolean {
  const parent = parentOf(document, path);
  return typeof parent === 'object' && parent !== null;
}

function hasList(document: Json, path: string): boolean {
  return Array.isArray(parentOf(document, path));
}
