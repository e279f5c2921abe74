/**
 * A set of field paths, in the very form of `fieldsV1`: a trie whose keys are path elements (`f:name`,
 * `k:{"name":"x"}`, `v:"x"`). A node is itself in the set when it is empty or holds `.`; the root never is, so an
 * empty root is the empty set. Working on the wire form means that nothing is parsed or printed on the hot path.
 * Sets are immutable and share subtrees.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

interface Draft {
  [element: string]: FieldSet;
}

/** A node that is in the set and has nothing below it; as a root, the empty set. */
export const LEAF: FieldSet = Object.freeze({});

/** How the elements of one node are ordered. */
export type ElementOrder = (keys: string[]) => string[];

/** True for a node without keys: a leaf, or the empty set when it is a root. */
export function isBare(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

/** True when the node itself, not just something below it, is in the set. */
export function isMember(node: FieldSet): boolean {
  return node['.'] !== undefined || isBare(node);
}

/** The node with itself added to the set. */
export function withSelf(node: FieldSet | undefined): FieldSet {
  if (node === undefined || isBare(node)) return LEAF;
  return node['.'] === undefined ? { '.': LEAF, ...node } : node;
}

/** True when the direct child is in the set. */
export function hasElement(set: FieldSet, element: string): boolean {
  const child = set[element];
  return child !== undefined && isMember(child);
}

/** What lies strictly below the direct child; undefined when there is nothing. */
export function below(set: FieldSet, element: string): FieldSet | undefined {
  const child = set[element];
  return child === undefined || isBare(child) ? undefined : child;
}

/** Every path in either set. */
export function union(a: FieldSet, b: FieldSet, order: ElementOrder): FieldSet {
  if (isBare(a)) return b;
  if (isBare(b)) return a;
  return unionNode(a, b, order);
}

/** Every path in any of the sets, by halves: one after the other, the growing union would be walked for each. */
export function unionAll(sets: readonly FieldSet[], order: ElementOrder): FieldSet {
  if (sets.length <= 2) return union(sets[0] ?? LEAF, sets[1] ?? LEAF, order);
  const half = sets.length >> 1;
  return union(unionAll(sets.slice(0, half), order), unionAll(sets.slice(half), order), order);
}

function unionNode(a: FieldSet, b: FieldSet, order: ElementOrder): FieldSet {
  if (a === b) return a;
  if (isBare(a)) return withSelf(b);
  if (isBare(b)) return withSelf(a);
  let out: Draft | undefined;
  let grew = false;
  for (const key in b) {
    const right = b[key] as FieldSet;
    const left = a[key];
    const merged = left === undefined ? right : unionNode(left, right, order);
    if (merged === left) continue;
    out ??= { ...a };
    out[key] = merged;
    grew ||= left === undefined;
  }
  if (out === undefined) return a;
  return grew ? reorder(out, order) : out;
}

/** Every path in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return LEAF;
  return intersectNode(a, b) ?? LEAF;
}

function intersectNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isBare(a)) return isMember(b) ? LEAF : undefined;
  if (isBare(b)) return isMember(a) ? LEAF : undefined;
  let out: Draft | undefined;
  // What changed is small and what somebody owns is large, so the second set leads.
  for (const key in b) {
    const left = a[key];
    if (left === undefined) continue;
    const both = intersectNode(left, b[key] as FieldSet);
    if (both === undefined) continue;
    out ??= {};
    out[key] = both;
  }
  return out === undefined ? undefined : collapse(out);
}

/** The paths of `a` that are not in `b`; a path stays when only something above or below it is in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  return differenceNode(a, b) ?? LEAF;
}

function differenceNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isBare(a)) return isMember(b) ? undefined : a;
  if (isBare(b)) return a['.'] === undefined ? a : replace(a, new Map([['.', undefined]]));
  let changes: Map<string, FieldSet | undefined> | undefined;
  for (const key in b) {
    const left = a[key];
    if (left === undefined) continue;
    const rest = differenceNode(left, b[key] as FieldSet);
    if (rest === left) continue;
    changes ??= new Map();
    changes.set(key, rest);
  }
  return changes === undefined ? a : replace(a, changes);
}

/** The node with some children changed or, where the change is undefined, gone; undefined when nothing is left. */
function replace(node: FieldSet, changes: ReadonlyMap<string, FieldSet | undefined>): FieldSet | undefined {
  const out: Draft = {};
  for (const key in node) {
    const child = changes.has(key) ? changes.get(key) : node[key];
    if (child !== undefined) out[key] = child;
  }
  return collapse(out);
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function differenceWithSubtrees(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a) || isBare(b)) return a;
  let changes: Map<string, FieldSet | undefined> | undefined;
  for (const key in b) {
    const left = a[key];
    if (left === undefined || key === '.') continue;
    const right = b[key] as FieldSet;
    const rest = isMember(right) ? undefined : differenceWithSubtrees(left, right);
    if (rest === left) continue;
    changes ??= new Map();
    changes.set(key, rest !== undefined && isBare(rest) && !isMember(left) ? undefined : rest);
  }
  return changes === undefined ? a : (replace(a, changes) ?? LEAF);
}

/** A node with a lone `.` is a leaf; a node with nothing left is gone. */
function collapse(out: Draft): FieldSet | undefined {
  let others = false;
  let some = false;
  for (const key in out) {
    some = true;
    if (key !== '.') {
      others = true;
      break;
    }
  }
  if (!some) return undefined;
  return others ? out : LEAF;
}

function reorder(node: Draft, order: ElementOrder): FieldSet {
  const out: Draft = {};
  for (const key of order(Object.keys(node))) out[key] = node[key] as FieldSet;
  return out;
}

/** The same set with every node's elements in order; needed once after inserting paths. */
export function sortSet(set: FieldSet, order: ElementOrder): FieldSet {
  const keys = Object.keys(set);
  if (keys.length === 0) return LEAF;
  const out: Draft = {};
  for (const key of keys.length === 1 ? keys : order(keys)) out[key] = sortSet(set[key] as FieldSet, order);
  return out;
}

/** A set under construction, filled path by path. */
export class SetBuilder {
  readonly #root: Draft = {};
  // Asking a node that grows whether it is bare takes longer with every key; these nodes are known not to be.
  readonly #grown = new Set<FieldSet>();

  /** Adds the path, or everything in a node that starts there; its parents are not added. */
  insert(path: readonly string[], inserted: FieldSet = LEAF): void {
    let node: Draft = this.#root;
    for (let depth = 0; depth < path.length; depth++) {
      const element = path[depth] as string;
      const child = node[element] as Draft | undefined;
      if (depth === path.length - 1) {
        node[element] = child === undefined ? inserted : unionNode(child, inserted, (keys) => keys);
        return;
      }
      node = child !== undefined && this.#grown.has(child) ? child : this.#grow(node, element, child);
    }
  }

  #grow(parent: Draft, element: string, child: FieldSet | undefined): Draft {
    const grown: Draft = child !== undefined && isBare(child) ? { '.': LEAF } : { ...child };
    parent[element] = grown;
    this.#grown.add(grown);
    return grown;
  }

  /** The set so far; do not insert afterwards. */
  get set(): FieldSet {
    return this.#root;
  }
}

/** Calls back with every path of the set: the members of a node first, then what lies below them. */
export function eachPath(
  set: FieldSet,
  visit: (path: readonly string[]) => void,
  prefix: readonly string[] = [],
): void {
  for (const key in set) {
    if (key !== '.' && isMember(set[key] as FieldSet)) visit([...prefix, key]);
  }
  for (const key in set) {
    const child = set[key] as FieldSet;
    if (key !== '.' && !isBare(child)) eachPath(child, visit, [...prefix, key]);
  }
}
