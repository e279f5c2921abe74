import type { ObjectKey, ServedResource } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { Manifest } from './manifests.ts';
import type { Session } from './session.ts';

/** Where the object of a manifest is on the server. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  readonly resource: ServedResource;
  readonly key: ObjectKey;
}

/** Finds the resource of a manifest and the namespace it goes to. */
export async function placeManifest(manifest: Manifest, session: Session): Promise<PlacedManifest> {
  const { object, source } = manifest;
  const { name, namespace: own } = object.metadata ?? {};
  if (name === undefined || name === '') throw new CliError('failed', `${source}: the object has no metadata.name`);
  const resource = await session.mapper.byKind(object.apiVersion ?? '', object.kind ?? '');
  if (!resource.namespaced) return { manifest, resource, key: { name } };
  if (own !== undefined && own !== '' && session.isNamespaceGiven && own !== session.namespace) {
    const text = `${source}: the object is of namespace "${own}", but -n says "${session.namespace}"`;
    throw new CliError('failed', text);
  }
  return { manifest, resource, key: { name, namespace: own === undefined || own === '' ? session.namespace : own } };
}
