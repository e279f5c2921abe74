import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '../client/resource-client.ts';

/** One thing that is wrong with a request. */
export interface Denial {
  /** What was wrong and what to do, as people will read it. */
  readonly message: string;
  /** Which field, e.g. `spec.ports[0].mac`. */
  readonly field?: string | undefined;
}

/** What a room says about a request. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly warnings?: readonly string[] | undefined }
  | { readonly kind: 'denied'; readonly reasons: readonly Denial[]; readonly warnings?: readonly string[] | undefined }
  | {
      readonly kind: 'patched';
      readonly patch: readonly JsonPatchOperation[];
      readonly warnings?: readonly string[] | undefined;
    };

/** The request may pass. */
export function allowed(...warnings: string[]): Verdict {
  return { kind: 'allowed', warnings };
}

/** The request is refused. */
export function denied(...reasons: readonly (string | Denial)[]): Verdict {
  return {
    kind: 'denied',
    reasons: reasons.map((reason) => (typeof reason === 'string' ? { message: reason } : reason)),
  };
}

/** The request passes as the changed object; an object that is the same passes as it is. */
export function patched(before: object, after: object, ...warnings: string[]): Verdict {
  const patch = diffJson(before, after);
  return patch.length === 0 ? { kind: 'allowed', warnings } : { kind: 'patched', patch, warnings };
}

/** The JSON patch that turns one value into another. Lists are replaced as a whole. */
export function diffJson(before: unknown, after: unknown, path = ''): JsonPatchOperation[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ op: 'replace', path, value: after }];
  const has = (object: Record<string, unknown>, name: string): boolean =>
    Object.hasOwn(object, name) && object[name] !== undefined;
  const removed = Object.keys(before).filter((name) => has(before, name) && !has(after, name));
  const kept = Object.keys(after).filter((name) => has(after, name));
  return [
    ...removed.map((name): JsonPatchOperation => ({ op: 'remove', path: `${path}/${pointer(name)}` })),
    ...kept.flatMap((name) => {
      const at = `${path}/${pointer(name)}`;
      if (!has(before, name)) return [{ op: 'add' as const, path: at, value: after[name] }];
      return diffJson(before[name], after[name], at);
    }),
  ];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
