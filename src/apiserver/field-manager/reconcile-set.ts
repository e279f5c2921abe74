import { type FieldSet, isBare, LEAF } from './field-set.ts';
import { deduced, type MergeType } from './merge-type.ts';

/** Brings a set in line with the schema: what was granular when the set was written and is atomic now, is owned whole. */
export function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
  let out: Record<string, FieldSet> | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (element === '.' || isBare(node)) continue;
    const inside = typeBelow(type, element);
    if (inside === undefined || inside === deduced) continue;
    const next = isAtomic(inside) ? LEAF : reconcileSet(node, inside);
    if (next === node) continue;
    out ??= { ...set };
    out[element] = next;
  }
  return out ?? set;
}

function typeBelow(type: MergeType, element: string): MergeType | undefined {
  if (type.map !== undefined)
    return element.startsWith('f:') ? (type.map.fields.get(element.slice(2)) ?? type.map.element) : type.map.element;
  return type.list?.element;
}

function isAtomic(type: MergeType): boolean {
  return type.map !== undefined ? type.map.isAtomic : (type.list?.isAtomic ?? false);
}
