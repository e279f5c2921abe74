import { type FieldSet, isBare, isMember, LEAF } from './field-set.ts';

interface IndexNode {
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, IndexNode>;
}

interface Draft {
  [element: string]: FieldSet;
}

// So few children are looked up one by one; beyond, the other set's are, which may be fewer.
const fewChildren = 16;

/**
 * A set prepared for being intersected with many others: with what somebody owns, for everybody who owns something.
 * Each intersection costs no more than the other set is large, however large this one is.
 */
export class SetIndex {
  readonly #root: IndexNode;

  constructor(set: FieldSet) {
    this.#root = indexNode(set);
  }

  /** Every path of the other set that is in this one. */
  within(other: FieldSet): FieldSet {
    if (this.#root.children.size === 0 || isBare(other)) return LEAF;
    return intersectNode(other, this.#root) ?? LEAF;
  }
}

function indexNode(node: FieldSet): IndexNode {
  const children = new Map<string, IndexNode>();
  for (const key in node) children.set(key, indexNode(node[key] as FieldSet));
  return { isMember: children.size === 0 || children.has('.'), children };
}

function intersectNode(node: FieldSet, index: IndexNode): FieldSet | undefined {
  if (index.children.size === 0) return isMember(node) ? LEAF : undefined;
  if (isBare(node)) return index.isMember ? LEAF : undefined;
  const out: Draft = {};
  let isLeaf = true;
  const take = (key: string, left: FieldSet | undefined, right: IndexNode | undefined): void => {
    const both = left === undefined || right === undefined ? undefined : intersectNode(left, right);
    if (both === undefined) return;
    out[key] = both;
    if (key !== '.') isLeaf = false;
  };
  if (index.children.size <= fewChildren) for (const [key, right] of index.children) take(key, node[key], right);
  else for (const key in node) take(key, node[key], index.children.get(key));
  if (!isLeaf) return out;
  return out['.'] === undefined ? undefined : LEAF;
}
