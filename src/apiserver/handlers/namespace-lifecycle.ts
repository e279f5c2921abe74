import type { ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, forbidden, notFound, qualifiedResource } from '../status.ts';

/** The bucket of namespaces. */
export const namespaceBucket = '/namespaces';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Refuses new content in a namespace that does not exist or is going away. */
export function checkNamespaceForCreate(core: ServerCore, served: ServedResource, object: KubeObject): void {
  const namespace = object.metadata.namespace ?? '';
  if (!served.namespaced || namespace === '') return;
  const stored = core.store.head({ bucket: namespaceBucket, namespace: '', name: namespace });
  if (stored === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (!stored.json.includes('"deletionTimestamp"')) return;
  const parsed = JSON.parse(stored.json) as KubeObject;
  if (parsed.metadata.deletionTimestamp === undefined) return;
  throw terminating(served, object, namespace);
}

function terminating(served: ServedResource, object: KubeObject, namespace: string): ApiError {
  const name = object.metadata.name ?? '';
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${qualifiedResource(served)} "${name}" is forbidden: ${why}`,
    details: {
      name,
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.resource,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  });
}

/** Refuses the deletion of the namespaces a cluster cannot do without. */
export function checkNamespaceDeletion(served: ServedResource, name: string): void {
  if (served.bucket !== namespaceBucket || !immortal.has(name)) return;
  throw forbidden(served, name, 'this namespace may not be deleted');
}
