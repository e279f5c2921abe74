import { ageText } from '../../kube/index.ts';
import {
  decodeFault,
  type FieldError,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  objectMetaSchema,
} from '../../schema/index.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { TablePrinter } from '../resource.ts';
import type { ScalePaths, ServedResource } from '../served-resource.ts';
import { badRequest, internalError } from '../status.ts';
import type { Key } from '../store/store.ts';

/** The autoscaling/v1 Scale of an object whose kind has the scale subresource. */
export function scaleOf(served: ServedResource, paths: ScalePaths, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const json = asJson(object);
  const replicas = numberAt(json, paths.specReplicasPath) ?? 0;
  const selector = paths.labelSelectorPath === undefined ? undefined : valueAt(json, paths.labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined || !served.namespaced ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      creationTimestamp: creationTimestamp ?? null,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(json, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

/** Throws 500 for an object without a replica count: it can be given one, but there is none to read. */
export function requireReplicas(paths: ScalePaths, object: KubeObject): void {
  if (numberAt(asJson(object), paths.specReplicasPath) !== undefined) return;
  throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
}

/** How Scales are shown as a table. */
export const scaleTable: TablePrinter = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name of the object.' },
    { name: 'Desired', type: 'integer', description: 'How many there should be.' },
    { name: 'Available', type: 'integer', description: 'How many there are.' },
    { name: 'Age', type: 'date', description: 'How long ago the object was created.' },
  ],
  row(scale, now) {
    const { spec, status } = scale as KubeObject & { spec: { replicas?: number }; status: { replicas: number } };
    const { name, creationTimestamp } = scale.metadata;
    const age = creationTimestamp ? ageText(creationTimestamp, now) : '<unknown>';
    return [name, spec.replicas ?? 0, status.replicas, age];
  },
};

/** What a Scale calls itself. */
export const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' } as const;

const wholeNumber: JsonSchema = { type: 'integer', format: 'int32' };
const scaleSchema: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.Scale',
  properties: {
    metadata: objectMetaSchema,
    spec: { type: 'object', 'x-go-type': 'v1.ScaleSpec', properties: { replicas: wholeNumber } },
    status: {
      type: 'object',
      'x-go-type': 'v1.ScaleStatus',
      properties: { replicas: wholeNumber, selector: { type: 'string' } },
    },
  },
};

/** True for what can be read as a Scale: nothing in it says that it is something else. */
export function isScale(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { apiVersion = '', kind = '' } = value;
  const isNamed = (apiVersion === '' && kind === '') || apiVersion === scaleType.apiVersion;
  if (!isNamed || (kind !== '' && kind !== scaleType.kind)) return false;
  return decodeFault(value, scaleSchema) === undefined;
}

/** Throws 400 unless the Scale is that of the object in the URL. */
export function checkScaleNames(key: Key, scale: JsonObject): void {
  const { name = '', namespace = '' }: JsonObject = isJsonObject(scale.metadata) ? scale.metadata : {};
  if (name === '') {
    throw badRequest(`the name of the object (${key.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== key.name) {
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${key.name})`);
  }
  if (namespace !== '' && namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** The part of the object that an applied Scale sets. */
export function scalePatch(
  served: ServedResource,
  { paths, key, scale }: { paths: ScalePaths; key: Key; scale: JsonObject },
): JsonObject {
  const patch: JsonObject = { apiVersion: served.apiVersion, kind: served.kind, metadata: { name: key.name } };
  const { replicas }: JsonObject = isJsonObject(scale.spec) ? scale.spec : {};
  if (typeof replicas === 'number') setAt(patch, paths.specReplicasPath, replicas);
  return patch;
}

/** The object with the replica count of a Scale that was put, patched or applied; a uid or version is kept to be checked. */
export function withScale(paths: ScalePaths, live: KubeObject, scale: JsonObject): KubeObject {
  const spec = isJsonObject(scale.spec) ? scale.spec : {};
  const replicas = typeof spec.replicas === 'number' ? spec.replicas : 0;
  const metadata = isJsonObject(scale.metadata) ? scale.metadata : {};
  if (typeof metadata.resourceVersion === 'string' && metadata.resourceVersion !== '') {
    live.metadata.resourceVersion = metadata.resourceVersion;
  }
  if (typeof metadata.uid === 'string' && metadata.uid !== '') live.metadata.uid = metadata.uid;
  setAt(asJson(live), paths.specReplicasPath, replicas);
  return live;
}

/** What is wrong with the fields the scale subresource reads: they must be reachable, whole and not negative. */
export function scaleFaults(served: ServedResource, object: KubeObject): FieldError[] {
  if (served.scale === undefined) return [];
  const errors: FieldError[] = [];
  for (const field of [served.scale.specReplicasPath, served.scale.statusReplicasPath]) {
    const detail = replicasFault(asJson(object), field);
    const value = valueAt(asJson(object), field);
    if (detail !== undefined) {
      errors.push({ reason: 'FieldValueInvalid', field, badValue: typeof value === 'number' ? value : 0, detail });
    }
  }
  return errors;
}

function replicasFault(object: JsonObject, path: string): string | undefined {
  const parts = segments(path);
  let at: Json | undefined = object;
  for (const part of parts) {
    if (at === undefined) return undefined;
    if (!isJsonObject(at))
      return `${path} accessor error: ${goValue(at)} is of the type ${goType(at)}, expected map[string]interface{}`;
    at = at[part];
  }
  if (at === undefined) return undefined;
  if (typeof at !== 'number')
    return `${path} accessor error: ${goValue(at)} is of the type ${goType(at)}, expected int64`;
  if (at < 0) return 'should be a non-negative integer';
  return at > 2 ** 31 - 1 ? `should be less than or equal to ${2 ** 31 - 1}` : undefined;
}

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'int64' : 'string';
}

function goValue(value: Json): string {
  return value === null ? '<nil>' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function segments(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = object;
  for (const segment of segments(path)) at = isJsonObject(at) ? at[segment] : undefined;
  return at;
}

function numberAt(object: JsonObject, path: string): number | undefined {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : undefined;
}

function setAt(object: JsonObject, path: string, value: Json): void {
  const parts = segments(path);
  const last = parts.pop() ?? '';
  let at = object;
  for (const part of parts) {
    const next = at[part];
    if (isJsonObject(next)) at = next;
    else {
      const made: JsonObject = {};
      at[part] = made;
      at = made;
    }
  }
  at[last] = value;
}
