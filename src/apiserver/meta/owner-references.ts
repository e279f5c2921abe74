import { goJson } from '../../schema/index.ts';
import type { ObjectMeta, OwnerReference } from '../object.ts';

/** Removes owner references that are there twice, and warns of them; what differs in any field is kept. */
export function dropRepeatedOwners(
  meta: ObjectMeta,
  warn: (text: string) => void,
  when: 'as-sent' | 'after-admission',
): void {
  const owners = meta.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return;
  const kept = new Set<string>();
  const repeated: string[] = [];
  const isFirst = (owner: OwnerReference): boolean => {
    const text = goJson({ ...owner });
    if (kept.has(text)) {
      repeated.push(owner.uid);
      return false;
    }
    kept.add(text);
    return true;
  };
  const different = owners.filter(isFirst);
  if (repeated.length === 0) return;
  meta.ownerReferences = different;
  const where = `.metadata.ownerReferences contains duplicate entries${when === 'as-sent' ? '' : ' after mutating admission happens'}`;
  const why = 'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24';
  warn(`${where}; ${why}; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`);
}
