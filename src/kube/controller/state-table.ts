/** A fact's possible values. Every fact has few of them, so that tables can be checked without running them. */
export type FactValue = string | boolean;

/** The facts a table looks at, each with all of its values. */
export type FactDomain = Readonly<Record<string, readonly FactValue[]>>;

/** One value for every fact: what is seen right now. */
export type Facts<D extends FactDomain> = { readonly [F in keyof D]: D[F][number] } & { readonly overdue?: never };

/** What a row asks of the facts; a fact it does not name may have any value. `overdue` is known to every table. */
export type RowCondition<D extends FactDomain> = {
  readonly [F in keyof D]?: D[F][number] | readonly D[F][number][];
} & { readonly overdue?: boolean };

/** One row: in this state, when this is seen, go there and do that. */
export interface StateRow<S extends string, D extends FactDomain, A extends string> {
  /** One state, several, or `*` for every state that is not final. */
  readonly from: S | readonly S[] | '*';
  readonly when: RowCondition<D>;
  readonly to: S;
  /** Names of what to do, in order. */
  readonly do?: readonly A[];
  /** How long the machine may stay in `from` waiting for this; past the longest of its rows the state is overdue. */
  readonly within?: number;
  /** True for a row that leaves the state by giving up. */
  readonly isAbort?: boolean;
}

/** A state machine as a table. */
export interface StateTable<S extends string, D extends FactDomain, A extends string> {
  readonly name: string;
  readonly initial: S;
  readonly states: readonly S[];
  /** States that nothing needs to leave. */
  readonly final: readonly S[];
  readonly facts: D;
  readonly rows: readonly StateRow<S, D, A>[];
}

/** Keeps the literal types of a table while checking its shape. */
export function defineStateTable<const S extends string, const D extends FactDomain, const A extends string>(
  table: StateTable<S, D, A>,
): StateTable<S, D, A> {
  return table;
}

/** Where a machine is, and since when (milliseconds, wall time). */
export interface Position<S extends string> {
  readonly state: S;
  readonly since: number;
}

/** What the table says about one moment. */
export interface Step<S extends string, A extends string> {
  readonly position: Position<S>;
  readonly actions: readonly A[];
  /** True when a row matched, also one that stays in its state. */
  readonly isTaken: boolean;
  /** True when the state has been waited in for longer than its rows allow. */
  readonly isOverdue: boolean;
  /** When the state will be overdue; undefined when it has no limit or is overdue already. */
  readonly overdueAt: number | undefined;
}

/** Looks up what to do in a position; without a matching row the machine stays where it is. */
export function takeStep<S extends string, D extends FactDomain, A extends string>(
  table: StateTable<S, D, A>,
  position: Position<S>,
  facts: Facts<D>,
  now: number,
): Step<S, A> {
  const rows = rowsFrom(table, position.state);
  const limitMs = limitOf(rows);
  const isOverdue = limitMs !== undefined && now >= position.since + limitMs;
  const known = { ...facts, overdue: isOverdue };
  const row = rows.find(({ when }) => matches(when, known));
  const isMoved = row !== undefined && row.to !== position.state;
  const next: Position<S> = isMoved ? { state: row.to, since: now } : position;
  const nextLimitMs = isMoved ? limitOf(rowsFrom(table, next.state)) : limitMs;
  const overdueAt = nextLimitMs === undefined ? undefined : next.since + nextLimitMs;
  return {
    position: next,
    actions: row?.do ?? [],
    isTaken: row !== undefined,
    isOverdue: isOverdue && !isMoved,
    overdueAt: overdueAt !== undefined && overdueAt > now ? overdueAt : undefined,
  };
}

/** The rows that apply in a state. */
export function rowsFrom<S extends string, D extends FactDomain, A extends string>(
  table: StateTable<S, D, A>,
  state: S,
): StateRow<S, D, A>[] {
  return table.rows.filter(({ from }) => {
    if (from === '*') return !table.final.includes(state);
    return typeof from === 'string' ? from === state : from.includes(state);
  });
}

function limitOf(rows: readonly { readonly within?: number | undefined }[]): number | undefined {
  let most: number | undefined;
  for (const { within } of rows) if (within !== undefined && (most === undefined || within > most)) most = within;
  return most;
}

/** Asked for every row at every look at an object, so nothing is made for it. */
function matches(condition: Readonly<Record<string, unknown>>, facts: Readonly<Record<string, unknown>>): boolean {
  for (const fact in condition) {
    const wanted = condition[fact];
    const isAllowed = Array.isArray(wanted) ? wanted.includes(facts[fact]) : wanted === facts[fact];
    if (!isAllowed) return false;
  }
  return true;
}

function allowed(wanted: unknown): readonly unknown[] {
  return Array.isArray(wanted) ? wanted : [wanted];
}

/** The table as a mermaid state diagram. */
export function drawStateTable<S extends string, D extends FactDomain, A extends string>(
  table: StateTable<S, D, A>,
): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${mermaidId(table.initial)}`];
  for (const state of table.states) {
    if (mermaidId(state) !== state) lines.push(`  state "${state}" as ${mermaidId(state)}`);
  }
  for (const state of table.states) {
    for (const row of rowsFrom(table, state)) {
      lines.push(`  ${mermaidId(state)} --> ${mermaidId(row.to)}: ${describeRow(row)}`);
    }
  }
  for (const state of table.final) lines.push(`  ${mermaidId(state)} --> [*]`);
  return `${lines.join('\n')}\n`;
}

function mermaidId(state: string): string {
  return state === '' ? 'none' : state.replace(/[^A-Za-z0-9_]/g, '_');
}

function describeRow<S extends string, D extends FactDomain, A extends string>(row: StateRow<S, D, A>): string {
  const conditions = Object.entries(row.when as Record<string, unknown>).map(([fact, wanted]) => {
    if (wanted === true) return fact;
    if (wanted === false) return `not ${fact}`;
    return `${fact} is ${allowed(wanted).join(' or ')}`;
  });
  const when = conditions.length === 0 ? 'always' : conditions.join(', ');
  const actions = row.do === undefined || row.do.length === 0 ? '' : ` / ${row.do.join(', ')}`;
  const within = row.within === undefined ? '' : ` [${row.within / 1000} s]`;
  return `${when}${within}${actions}`;
}
