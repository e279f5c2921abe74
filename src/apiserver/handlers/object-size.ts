import type { Json } from '../../schema/index.ts';
import { asJson, type KubeObject } from '../object.ts';
import { plainError } from '../status.ts';

/** The largest text of an object that is stored: what a real cluster's etcd takes in one request. */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/**
 * Refuses an object that has grown too large, in the words a real cluster's storage has for it. As there, the managed
 * fields go before the object is refused, as they can be large and nothing is lost with them but who set what.
 */
export function fitToStorage(object: KubeObject): void {
  if (isStorable(object)) return;
  delete object.metadata.managedFields;
  if (!isStorable(object)) throw plainError('etcdserver: request is too large');
}

// Writing the text only to measure it would cost every write as much again; few objects come near the limit.
function isStorable(object: KubeObject): boolean {
  const json = asJson(object);
  return (
    longestText(json, maxObjectBytes) <= maxObjectBytes || Buffer.byteLength(JSON.stringify(json)) <= maxObjectBytes
  );
}

const longestCharacter = 6; // an escape such as \u0001
const longestScalar = 24;

/** How long the text can be at most; what is past the limit is not measured. */
function longestText(value: Json | undefined, limit: number): number {
  if (typeof value === 'string') return value.length * longestCharacter + 2;
  if (typeof value !== 'object' || value === null) return longestScalar;
  let length = 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      length += longestText(element, limit - length) + 1;
      if (length > limit) return length;
    }
    return length;
  }
  for (const key in value) {
    length += key.length * longestCharacter + 4;
    length += longestText(value[key], limit - length);
    if (length > limit) return length;
  }
  return length;
}
