import { EngineError } from './errors.ts';
import type { KindDefinition } from './kinds.ts';
import { type KindLimits, kindLimitsOf } from './leases/budget.ts';

/** The kinds an engine knows, found without regard to case. */
export interface KindTable {
  readonly all: readonly KindDefinition[];
  /** Throws `unknownKind` when there is none of that name. */
  find(kind: string): KindDefinition;
  get(kind: string): KindDefinition | undefined;
  /** True for a kind that reads machines again after work of another. */
  isReading(kind: string): boolean;
  /** How many of each kind may be active, where kinds limit that. */
  readonly activeLimits: KindLimits;
}

/** Makes the table of kinds. Two kinds that differ only in case are a mistake of whoever registers them. */
export function createKindTable(kinds: readonly KindDefinition[]): KindTable {
  const byName = new Map<string, KindDefinition>();
  for (const one of kinds) {
    const name = one.kind.toLowerCase();
    if (byName.has(name)) throw new TypeError(`the kind ${one.kind} is registered twice`);
    byName.set(name, one);
  }
  const readings = new Set(kinds.flatMap(({ reread }) => (reread === undefined ? [] : [reread.kind])));
  const names = kinds.map((one) => one.kind).join(', ');
  return {
    all: kinds,
    activeLimits: kindLimitsOf(kinds),
    isReading: (kind) => readings.has(kind),
    get: (kind) => byName.get(kind.toLowerCase()),
    find(kind) {
      const found = byName.get(kind.toLowerCase());
      if (found === undefined) throw new EngineError('unknownKind', { kind, kinds: names });
      return found;
    },
  };
}
