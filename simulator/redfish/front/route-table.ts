import type { Handler, Route } from '../route.ts';

/** The methods a route can answer. */
export type RouteMethod = 'get' | 'patch' | 'post' | 'delete';

const routeMethods = ['get', 'patch', 'post', 'delete'] as const;

/** What a path leads to: the handlers of one resource, and how they want to be asked. */
export interface RouteMatch {
  /** As in an Allow header. */
  readonly allowed: readonly string[];
  /** True when a method is served without authentication. */
  isOpen(method: string): boolean;
  readonly takesUpload: boolean;
  handler(method: RouteMethod): { readonly handle: Handler; readonly params: Record<string, string> } | undefined;
}

/** All routes of one personality. */
export interface RouteTable {
  /** `path` without query and trailing slash, still percent-encoded. */
  match(path: string): RouteMatch | undefined;
}

interface MethodEntry {
  readonly handle: Handler;
  /** Two layers may name the same part of a pattern differently, so each handler keeps its own names. */
  readonly names: readonly string[];
  readonly takesUpload: boolean;
}

interface Leaf {
  readonly methods: Map<RouteMethod, MethodEntry>;
  isPublic: boolean;
  arePostsPublic: boolean;
  allowed: readonly string[];
}

class Node {
  readonly fixed = new Map<string, Node>();
  any: Node | undefined;
  leaf: Leaf | undefined;
}

/** Builds a table once; of two layers that answer the same method of the same pattern, the first one wins. */
export function compileRoutes(...layers: readonly (readonly Route[])[]): RouteTable {
  const root = new Node();
  for (const layer of layers) for (const route of layer) plant(root, route);
  return {
    match(path) {
      const segments = split(path);
      if (segments === undefined) return undefined;
      const values: string[] = [];
      const leaf = descend(root, { segments, at: 0, values });
      return leaf === undefined ? undefined : toMatch(leaf, values);
    },
  };
}

function plant(root: Node, route: Route): void {
  let node = root;
  const names: string[] = [];
  for (const segment of route.pattern.split('/').filter((part) => part !== '')) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1));
      node.any ??= new Node();
      node = node.any;
    } else {
      const next: Node = node.fixed.get(segment) ?? new Node();
      node.fixed.set(segment, next);
      node = next;
    }
  }
  node.leaf ??= { methods: new Map(), isPublic: false, arePostsPublic: false, allowed: [] };
  addTo(node.leaf, route, names);
}

function addTo(leaf: Leaf, route: Route, names: readonly string[]): void {
  for (const method of routeMethods) {
    const handle = route[method];
    if (handle === undefined || leaf.methods.has(method)) continue;
    leaf.methods.set(method, { handle, names, takesUpload: route.takesUpload === true });
  }
  leaf.isPublic ||= route.isPublic === true;
  leaf.arePostsPublic ||= route.arePostsPublic === true;
  leaf.allowed = routeMethods
    .filter((method) => leaf.methods.has(method))
    .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}

interface Descent {
  readonly segments: readonly string[];
  readonly at: number;
  /** What the open parts of the pattern were filled with, so far. */
  readonly values: string[];
}

/** A fixed part goes before an open one, and the way back is taken when it leads nowhere. */
function descend(node: Node, descent: Descent): Leaf | undefined {
  const { segments, at, values } = descent;
  const segment = segments[at];
  if (segment === undefined) return node.leaf;
  const fixed = node.fixed.get(segment);
  const found = fixed === undefined ? undefined : descend(fixed, { segments, at: at + 1, values });
  if (found !== undefined || node.any === undefined) return found;
  values.push(segment);
  const open = descend(node.any, { segments, at: at + 1, values });
  if (open === undefined) values.pop();
  return open;
}

function toMatch(leaf: Leaf, values: readonly string[]): RouteMatch {
  return {
    allowed: leaf.allowed,
    isOpen: (method) => leaf.isPublic || (leaf.arePostsPublic && method === 'POST'),
    takesUpload: leaf.methods.get('post')?.takesUpload ?? false,
    handler(method) {
      const entry = leaf.methods.get(method);
      if (entry === undefined) return undefined;
      return {
        handle: entry.handle,
        params: Object.fromEntries(entry.names.map((name, at) => [name, values[at] ?? ''])),
      };
    },
  };
}

function split(path: string): string[] | undefined {
  const segments = path.split('/').filter((part) => part !== '');
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    // Not an encoded path at all: nothing is there.
    return undefined;
  }
}
