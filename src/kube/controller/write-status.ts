import type { ResourceClient } from '../client/resource-client.ts';
import { apiVersionOf, type KubeObject, keyOf } from '../object.ts';

/** An object with a status. */
export interface WithStatus extends KubeObject {
  status?: unknown;
}

/** Writes the whole status by server-side apply; fields that this manager no longer names are taken away. */
export async function applyStatus<T extends WithStatus>(
  client: ResourceClient<T>,
  object: T,
  status: NonNullable<T['status']>,
  options: { readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<void> {
  const body = {
    apiVersion: apiVersionOf(client.ref),
    kind: object.kind ?? client.ref.kind,
    metadata: keyOf(object),
    status,
  };
  await client.status.apply(body as unknown as T, { ...options, isForced: true });
}

/** Replaces the status of exactly the version that was seen; a conflict means that the decision is out of date. */
export async function replaceStatus<T extends WithStatus>(
  client: ResourceClient<T>,
  object: T,
  status: NonNullable<T['status']>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  await client.status.replace({ ...object, status }, options);
}
