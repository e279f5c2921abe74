import type { KubeObject, Resource, Where } from './kinds.ts';
import { pathOf } from './kinds.ts';
import { pageOfList } from './list-and-watch.ts';
import { RefusedError } from './refused.ts';
import { ask } from './request.ts';

/** Whoever asks later who wrote a field reads this; without it a server takes the name of the browser, or none. */
const manager = 'fieldManager=rackwright-console';

/** Reads one object; undefined when it is not there. */
export async function getObject<T extends KubeObject>(
  resource: Resource,
  where: Where,
  signal?: AbortSignal,
): Promise<T | undefined> {
  try {
    return await ask<T>({ path: pathOf(resource, where), signal });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}

/** Reads a list once; `query` such as `fieldSelector=...`. */
export async function listObjects<T extends KubeObject>(
  resource: Resource,
  where: Where = {},
  query: Readonly<Record<string, string>> = {},
): Promise<readonly T[]> {
  const { items } = await ask<{ items: readonly T[] }>({
    path: `${pathOf(resource, where)}?${new URLSearchParams(query)}`,
  });
  return items;
}

/** Reads a list of any length, part by part, and keeps a projection of each object. */
export async function listEvery<Row>(
  resource: Resource,
  project: (object: KubeObject) => Row,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const page = await pageOfList({ resource, after, signal });
    rows.push(...page.items.map(project));
    after = page.after;
    if (after === undefined) return rows;
  }
}

/** Changes what the merge patch names and nothing else. */
export function patchObject<T extends KubeObject>(resource: Resource, where: Where, patch: object): Promise<T> {
  return ask<T>({
    method: 'PATCH',
    path: `${pathOf(resource, where)}?${manager}`,
    body: patch,
    contentType: 'application/merge-patch+json',
  });
}

/** Applies a whole object server-side; a conflict is told, never forced. */
export function applyObject<T extends KubeObject>(resource: Resource, where: Where, object: object): Promise<T> {
  return ask<T>({
    method: 'PATCH',
    path: `${pathOf(resource, where)}?${manager}`,
    body: object,
    contentType: 'application/apply-patch+yaml',
  });
}

/** Makes an object. */
export function createObject<T extends KubeObject>(resource: Resource, where: Where, object: object): Promise<T> {
  const path = `${pathOf(resource, { namespace: where.namespace })}?${manager}`;
  return ask<T>({ method: 'POST', path, body: object });
}

/** Puts an object in the place of the version that it names. */
export function replaceObject<T extends KubeObject>(resource: Resource, where: Where, object: object): Promise<T> {
  return ask<T>({ method: 'PUT', path: `${pathOf(resource, where)}?${manager}`, body: object });
}

/** Asks for an object to be deleted. */
export function deleteObject(resource: Resource, where: Where): Promise<object> {
  return ask<object>({ method: 'DELETE', path: pathOf(resource, where) });
}
