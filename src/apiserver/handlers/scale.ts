import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { ScalePaths, ServedResource } from '../served-resource.ts';
import { badRequest, internalError, invalid } from '../status.ts';

/** The autoscaling/v1 Scale of an object whose kind has the scale subresource. */
export function scaleOf(served: ServedResource, paths: ScalePaths, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const json = asJson(object);
  const replicas = numberAt(json, paths.specReplicasPath);
  if (replicas === undefined) {
    throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
  }
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

/** The object with the replica count of a Scale that was put or patched. */
export function withScale(served: ServedResource, paths: ScalePaths, live: KubeObject, scale: JsonObject): KubeObject {
  const spec = isJsonObject(scale.spec) ? scale.spec : {};
  const replicas = spec.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) throw badRequest('spec.replicas must be an integer');
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, live.metadata.name ?? '', [
      { reason: 'FieldValueInvalid', field: 'spec.replicas', badValue: replicas, detail: 'should be a non-negative integer' },
    ]);
  }
  const metadata = isJsonObject(scale.metadata) ? scale.metadata : {};
  if (typeof metadata.resourceVersion === 'string' && metadata.resourceVersion !== '') {
    live.metadata.resourceVersion = metadata.resourceVersion;
  }
  setAt(asJson(live), paths.specReplicasPath, replicas);
  return live;
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
