import { formatKey, type KubeObject } from '../../kube/index.ts';

/** A reference to an object that may be in the namespace of whoever refers to it. */
export interface Reference {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A reference whose namespace is known. */
export interface FullReference {
  readonly name: string;
  readonly namespace: string;
}

/** The reference with its namespace, which is that of the object itself when it names none. */
export function fullReference({ name, namespace }: Reference, home: string): FullReference {
  return { name, namespace: namespace === undefined || namespace === '' ? home : namespace };
}

/** The key of what is referred to, as caches know it. */
export function referenceKey(reference: Reference, home: string): string {
  return formatKey(fullReference(reference, home));
}

/** The namespace of an object. */
export function namespaceOf({ metadata }: KubeObject): string {
  return metadata?.namespace ?? '';
}

/** The name of an object. */
export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

/** The key of an object, as caches know it. */
export function objectKey(object: KubeObject): string {
  return formatKey({ namespace: namespaceOf(object), name: nameOf(object) });
}

/** True when both are the same object. */
export function isSameReference(one: FullReference | undefined, other: FullReference | undefined): boolean {
  return one?.name === other?.name && one?.namespace === other?.namespace;
}
