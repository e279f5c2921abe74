import type { BareMetalHost, ObjectMeta } from '../api/index.ts';
import { infrastructureGroup } from '../api/index.ts';
import { formatKey, type OwnerReference, parseApiVersion } from '../kube/index.ts';

/** An object as far as its name goes. */
interface Named {
  readonly metadata?: Pick<ObjectMeta, 'name' | 'namespace'>;
}

/** An object as far as its owners go. */
interface Owned extends Named {
  readonly metadata?: Pick<ObjectMeta, 'name' | 'namespace' | 'ownerReferences'>;
}

/** The name of an object. */
export function nameOf({ metadata }: Named): string {
  return metadata?.name ?? '';
}

/** The namespace of an object. */
export function namespaceOf({ metadata }: Named): string {
  return metadata?.namespace ?? '';
}

/** `namespace/name` of an object. */
export function objectKey(object: Named): string {
  return formatKey({ namespace: namespaceOf(object), name: nameOf(object) });
}

/** The key of an object in the same namespace as another. */
export function besideKey(object: Named, name: string): string {
  return formatKey({ namespace: namespaceOf(object), name });
}

/** A kind of owner, whatever its version. */
export interface OwnerKind {
  readonly group: string;
  readonly kind: string;
}

/** The owner of a kind that an object has. */
export function ownerOf({ metadata }: Owned, { group, kind }: OwnerKind): OwnerReference | undefined {
  return metadata?.ownerReferences?.find(
    (each) => each.kind === kind && parseApiVersion(each.apiVersion).group === group,
  );
}

/** The owner that controls an object. */
export function controllerOf({ metadata }: Owned): OwnerReference | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** The key of the Metal3Machine that uses a host; undefined when it is free or somebody else's. */
export function consumerKey(host: BareMetalHost): string | undefined {
  const { kind, name, namespace, apiVersion } = host.spec?.consumerRef ?? {};
  if (kind !== 'Metal3Machine' || name === undefined) return undefined;
  if (parseApiVersion(apiVersion ?? '').group !== infrastructureGroup) return undefined;
  return formatKey({ namespace: namespace ?? namespaceOf(host), name });
}
