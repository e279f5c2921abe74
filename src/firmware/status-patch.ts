import { type KubeObject, patchStatus as patchStatusAs, type ResourceClient } from '../kube/index.ts';
import { fieldManagers } from './resources.ts';

export { statusChange } from '../kube/index.ts';

/** Changes parts of a status of exactly the version that was seen, as this room. */
export async function patchStatus<T extends KubeObject & { status?: unknown }>(
  client: ResourceClient<T>,
  object: T,
  status: object,
  options: { readonly parts?: readonly string[]; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  await patchStatusAs(client, object, status, { ...options, fieldManager: fieldManagers.status });
}
