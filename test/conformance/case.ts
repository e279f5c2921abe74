import type { CaseRun } from './case-run.ts';

/** One conformance case: steps that must see the same on every server. */
export interface ConformanceCase {
  /** `topic/what`, also the case's namespace and API group. */
  readonly id: string;
  readonly run: (t: CaseRun) => Promise<void>;
  /** Looks at the whole cluster, so no other case may run beside it; such cases run first. */
  readonly alone: boolean;
}

/** The cases of one file. */
export interface Topic {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

/** How a case is written down: its name, and its steps. */
export type CaseTable = Record<string, ((t: CaseRun) => Promise<void>) | AloneCase>;

/** A case that needs the server to itself. */
export interface AloneCase {
  readonly alone: (t: CaseRun) => Promise<void>;
}

/** Collects the cases of one file under a topic name. */
export function topic(name: string, table: CaseTable): Topic {
  const cases = Object.entries(table).map(([key, value]) => ({
    id: `${name}/${key}`,
    run: typeof value === 'function' ? value : value.alone,
    alone: typeof value !== 'function',
  }));
  const tooLong = cases.find(({ id }) => id.length > 50);
  if (tooLong !== undefined) throw new Error(`the case name ${tooLong.id} is too long for a namespace`);
  return { name, cases };
}
