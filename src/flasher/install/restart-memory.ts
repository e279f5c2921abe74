/** Remembers for how long BMCs are away when they restart, for others of their kind. */
export interface RestartMemory {
  note(kind: string, awayMs: number): void;
  /** The shortest of the last few; undefined where none is known. */
  shortest(kind: string): number | undefined;
}

/** Another firmware may restart faster or slower: what was long ago does not count. */
const kept = 8;
const mostKinds = 1000;

/** Makes a memory for one process. */
export function createRestartMemory(): RestartMemory {
  const kinds = new Map<string, number[]>();
  return {
    note(kind, awayMs) {
      const known = kinds.get(kind) ?? [];
      kinds.delete(kind);
      const oldest = kinds.keys().next().value;
      if (kinds.size >= mostKinds && oldest !== undefined) kinds.delete(oldest);
      kinds.set(kind, [...known.slice(1 - kept), awayMs]);
    },
    shortest(kind) {
      const known = kinds.get(kind);
      return known === undefined ? undefined : Math.min(...known);
    },
  };
}
