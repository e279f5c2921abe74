import { kubeError } from '../errors.ts';
import { type AnyKubeObject, parseApiVersion } from '../object.ts';
import type { KubeClient } from './client.ts';
import type { ResourceMapper } from './discovery.ts';
import type { ApplyOptions } from './resource-client.ts';

/** Applies any object, wherever its kind is served; a namespaced one without a namespace goes to the given one. */
export async function applyObject(
  client: KubeClient,
  mapper: ResourceMapper,
  object: AnyKubeObject,
  options: ApplyOptions & { readonly namespace?: string | undefined },
): Promise<AnyKubeObject> {
  const { apiVersion, kind, metadata } = object;
  if (apiVersion === undefined || kind === undefined || metadata?.name === undefined) {
    throw kubeError('BadRequest', 'an object to apply needs apiVersion, kind and metadata.name');
  }
  const resource = await mapper.byKind(apiVersion, kind);
  const namespace = metadata.namespace ?? options.namespace ?? client.namespace ?? 'default';
  const placed = resource.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object;
  const applied = await client.resource<AnyKubeObject>(resource).apply(placed, options);
  // What is served may just have changed.
  if (parseApiVersion(apiVersion).group === 'apiextensions.k8s.io') mapper.reset();
  return applied;
}
