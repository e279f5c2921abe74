import type { KubeClient } from './client/client.ts';
import { KubeError } from './errors.ts';
import type { AnyKubeObject, KubeObject, ResourceRef } from './object.ts';

/** Where definitions of custom resources are served. */
export const definitionsRef: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespaced: false,
  kind: 'CustomResourceDefinition',
};

/** A definition as far as installing looks into it. */
interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] | null };
}

/** Writes definitions, and waits until all of them are served. */
export async function installDefinitions(
  client: KubeClient,
  definitions: readonly AnyKubeObject[],
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const all = client.resource<AnyKubeObject>(definitionsRef);
  const options = { fieldManager, isForced: true, ...(signal === undefined ? {} : { signal }) };
  for (const each of definitions) await all.apply(each, options);
  await untilServed(client, definitions.map(nameOf), signal);
  signal?.throwIfAborted();
}

/** Resolves with no entry when all definitions are served; with those that are not, and why, when the signal came first. */
export async function untilServed(
  client: KubeClient,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const definitions = client.resource<Definition>(definitionsRef);
  const waiting = new Map(names.map((name) => [name, 'it is not there']));
  const options = signal === undefined ? {} : { signal };
  const look = (crd: Definition): void => {
    if (!waiting.has(nameOf(crd))) return;
    const why = whyNotServed(crd);
    if (why === undefined) waiting.delete(nameOf(crd));
    else waiting.set(nameOf(crd), why);
  };
  try {
    while (waiting.size > 0) {
      const { items, resourceVersion } = await definitions.list(options);
      for (const crd of items) look(crd);
      if (waiting.size === 0) break;
      for await (const event of definitions.watch({ resourceVersion, ...options })) {
        if (event.type !== 'BOOKMARK') look(event.object);
        if (waiting.size === 0) break;
      }
    }
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'Aborted')) throw error;
  }
  return waiting;
}

function nameOf(object: KubeObject): string {
  return object.metadata?.name ?? '';
}

/** Undefined when the definition is served under the names it asks for. */
function whyNotServed(crd: Definition): string | undefined {
  const conditions = crd.status?.conditions ?? [];
  const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  if (refused !== undefined) return refused.message ?? 'its names are taken';
  const isServed = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  return isServed ? undefined : 'it is not established yet';
}
