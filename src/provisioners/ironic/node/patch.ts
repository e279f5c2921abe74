import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../client/index.ts';

/** One change of a node, in the words of JSON Patch. */
export interface PatchStep {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** What members of an object are to be; undefined means: not there. Members that are not named stay as they are. */
export type Wanted = Readonly<Record<string, unknown>>;

/** The changes that make the members of an object what is wanted; none where they are so already. */
export function changesOf(order: {
  readonly path: string;
  readonly seen: JsonObject;
  readonly wanted: Wanted;
}): PatchStep[] {
  return Object.entries(order.wanted).flatMap(([name, value]): PatchStep[] => {
    const seen = order.seen[name] ?? undefined;
    if (isDeepStrictEqual(seen, value)) return [];
    const path = `${order.path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return value === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value }];
  });
}
