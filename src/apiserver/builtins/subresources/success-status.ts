import type { JsonObject } from '../../../schema/index.ts';

/** The answer of an action that leaves nothing to show. */
export function successStatus(code: number): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}
