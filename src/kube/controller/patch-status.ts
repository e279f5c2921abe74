import { isDeepStrictEqual } from 'node:util';
import type { ResourceClient } from '../client/resource-client.ts';
import { type KubeObject, keyOf } from '../object.ts';

/**
 * Changes parts of a status of exactly the version that was seen: those that differ are written, those that are gone are
 * taken away. Parts that are not named stay, so that two writers with parts of their own do not undo each other.
 */
export async function patchStatus<T extends KubeObject & { status?: unknown }>(
  client: ResourceClient<T>,
  object: T,
  status: object,
  options: {
    readonly fieldManager: string;
    readonly parts?: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const change = statusChange((object.status ?? {}) as Fields, status as Fields, options.parts);
  if (Object.keys(change).length === 0) return;
  const { resourceVersion, uid } = object.metadata ?? {};
  const body = { metadata: { resourceVersion, uid }, status: change };
  const { signal, fieldManager } = options;
  const write = { fieldManager, ...(signal === undefined ? {} : { signal }) };
  await client.status.patch(keyOf(object), { type: 'merge', body }, write);
}

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch from one status to the other, of the named parts or of all. */
export function statusChange(before: Fields, after: Fields, parts?: readonly string[]): Fields {
  const names = parts ?? [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const change: Record<string, unknown> = {};
  for (const name of names) {
    if (isDeepStrictEqual(before[name], after[name])) continue;
    change[name] = after[name] === undefined ? null : replaced(before[name], after[name]);
  }
  return change;
}

/** A merge patch keeps members that it does not name; those that are gone have to be named. */
function replaced(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((name) => after[name] === undefined);
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
