import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta, OwnerReference } from '../object.ts';

/** Removes owner references that are there twice, and warns of them; what differs in any field is kept. */
export function dropRepeatedOwners(
  meta: ObjectMeta,
  warn: (text: string) => void,
  when: 'as-sent' | 'after-admission',
): void {
  const owners = meta.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return;
  const kept = new Map<string, OwnerReference[]>();
  const repeated: string[] = [];
  const isFirst = (owner: OwnerReference): boolean => {
    const alike = kept.get(owner.uid) ?? [];
    if (alike.some((other) => isDeepStrictEqual(other, owner))) {
      repeated.push(owner.uid);
      return false;
    }
    kept.set(owner.uid, [...alike, owner]);
    return true;
  };
  const different = owners.filter(isFirst);
  if (repeated.length === 0) return;
  meta.ownerReferences = different;
  const where = `.metadata.ownerReferences contains duplicate entries${when === 'as-sent' ? '' : ' after mutating admission happens'}`;
  const why = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24';
  warn(`${where}; ${why}; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`);
}
