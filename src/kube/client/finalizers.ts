import { isNotFound } from '../errors.ts';
import { type KubeObject, keyOf } from '../object.ts';
import type { ResourceClient, WriteOptions } from './resource-client.ts';
import { type RetryOnConflictOptions, retryOnConflict } from './retry-on-conflict.ts';

/** True when the finalizer is on the object. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** True when the object is being deleted and waits for its finalizers. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** Puts a finalizer on an object, if it is not there and the object is not being deleted; gives the object as it then is. */
export function addFinalizer<T extends KubeObject>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  retry: RetryOnConflictOptions & WriteOptions,
): Promise<T> {
  return changeFinalizers(client, object, retry, (current) => {
    if (hasFinalizer(current, finalizer) || isBeingDeleted(current)) return undefined;
    return [...(current.metadata?.finalizers ?? []), finalizer];
  });
}

/** Takes a finalizer off; an object that is gone already is fine, and given back as it was. */
export async function removeFinalizer<T extends KubeObject>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  retry: RetryOnConflictOptions & WriteOptions,
): Promise<T> {
  try {
    return await changeFinalizers(client, object, retry, (current) => {
      if (!hasFinalizer(current, finalizer)) return undefined;
      return (current.metadata?.finalizers ?? []).filter((name) => name !== finalizer);
    });
  } catch (error) {
    if (isNotFound(error)) return object;
    throw error;
  }
}

/** The version in the patch makes the server refuse it when someone else changed the list in between. */
async function changeFinalizers<T extends KubeObject>(
  client: ResourceClient<T>,
  object: T,
  options: RetryOnConflictOptions & WriteOptions,
  change: (current: T) => string[] | undefined,
): Promise<T> {
  let current: T | undefined = object;
  return retryOnConflict(options, async () => {
    const base: T = current ?? (await client.get(keyOf(object), options));
    current = undefined;
    const finalizers = change(base);
    if (finalizers === undefined) return base;
    const { resourceVersion, uid } = base.metadata ?? {};
    const body = { metadata: { resourceVersion, uid, finalizers } };
    return client.patch(keyOf(object), { type: 'merge', body }, options);
  });
}
