import type { Route } from './route.ts';

/** Says which methods a path takes; undefined for a path that nothing is served at. */
export type AllowedMethods = (path: string) => readonly string[] | undefined;

/** Reads the methods of each path from the routes. */
export function readAllowedMethods(routes: readonly Pick<Route, 'method' | 'path'>[]): AllowedMethods {
  const patterns = new Map<string, { readonly parts: readonly string[]; readonly methods: Set<string> }>();
  for (const { method, path } of routes) {
    const shape = path.replaceAll(/:\w+/g, ':');
    const pattern = patterns.get(shape) ?? { parts: shape.split('/'), methods: new Set<string>() };
    pattern.methods.add(method);
    if (method === 'GET') pattern.methods.add('HEAD');
    patterns.set(shape, pattern);
  }
  return (path) => {
    const parts = path.split('/');
    const matching = [...patterns.values()].filter((pattern) => isMatch(pattern.parts, parts));
    // Words win over parameters: /servers/components is never a server.
    const [best] = matching.sort((a, b) => parametersIn(a.parts) - parametersIn(b.parts));
    return best === undefined ? undefined : [...best.methods].sort();
  };
}

function parametersIn(parts: readonly string[]): number {
  return parts.filter((part) => part === ':').length;
}

function isMatch(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part === ':' ? parts[index] !== '' : part === parts[index]))
  );
}
