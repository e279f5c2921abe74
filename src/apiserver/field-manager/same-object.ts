import type { Json } from '../../schema/index.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object.ts';
import { equalJson } from '../patch/equal-json.ts';

/**
 * True when two versions of an object differ in nothing but the times in managedFields. The caller then keeps the
 * old one, and no new resourceVersion is made.
 */
export function equalIgnoringManagedFieldsTimestamps(a: KubeObject, b: KubeObject): boolean {
  if (!equalEntries(a.metadata.managedFields ?? [], b.metadata.managedFields ?? [])) return false;
  const { metadata: metadataA, ...restA } = a;
  const { metadata: metadataB, ...restB } = b;
  const { managedFields: _a, ...plainA } = metadataA;
  const { managedFields: _b, ...plainB } = metadataB;
  return equalJson(plainA as Json, plainB as Json) && equalJson(restA as Json, restB as Json);
}

function equalEntries(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((entry, i) => {
    const { time: _a, ...left } = entry;
    const { time: _b, ...right } = b[i] as ManagedFieldsEntry;
    return equalJson(left as Json, right as Json);
  });
}
