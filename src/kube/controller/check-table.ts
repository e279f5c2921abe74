import { type FactDomain, rowsFrom, type StateRow, type StateTable } from './state-table.ts';

/**
 * What is wrong with a table, one sentence each: states that cannot be reached, states without an exit or an abort,
 * pairs of rows that could match at once, and words that the table does not declare. An empty list is a good table.
 */
export function checkTable<S extends string, D extends FactDomain, A extends string>(
  table: StateTable<S, D, A>,
): string[] {
  return [...unknownWords(table), ...unreachable(table), ...withoutExit(table), ...ambiguous(table)];
}

function unreachable<S extends string, D extends FactDomain, A extends string>(table: StateTable<S, D, A>): string[] {
  const reached = new Set<S>([table.initial]);
  // A set grows while it is walked, so this visits everything that is reached.
  for (const state of reached) for (const row of rowsFrom(table, state)) reached.add(row.to);
  return table.states
    .filter((state) => !reached.has(state))
    .map((state) => `${table.name}: state "${state}" is never reached`);
}

function withoutExit<S extends string, D extends FactDomain, A extends string>(table: StateTable<S, D, A>): string[] {
  return table.states
    .filter((state) => !table.final.includes(state))
    .flatMap((state) => {
      const leaving = rowsFrom(table, state).filter((row) => row.to !== state);
      const problems: string[] = [];
      if (!leaving.some((row) => row.isAbort !== true)) problems.push(`${table.name}: state "${state}" has no exit`);
      if (!leaving.some((row) => row.isAbort === true)) problems.push(`${table.name}: state "${state}" has no abort`);
      return problems;
    });
}

function ambiguous<S extends string, D extends FactDomain, A extends string>(table: StateTable<S, D, A>): string[] {
  return table.states.flatMap((state) => {
    const rows = rowsFrom(table, state);
    return rows.flatMap((row, i) =>
      rows.slice(i + 1).flatMap((other) => {
        if (areDisjoint(row, other)) return [];
        const [one, two] = [table.rows.indexOf(row) + 1, table.rows.indexOf(other) + 1];
        return [`${table.name}: in state "${state}" rows ${one} and ${two} can match at once`];
      }),
    );
  });
}

/** Two rows can never match at once when some fact must have different values for them. */
function areDisjoint<S extends string, D extends FactDomain, A extends string>(
  row: StateRow<S, D, A>,
  other: StateRow<S, D, A>,
): boolean {
  const [mine, theirs] = [row.when, other.when] as Record<string, unknown>[];
  return Object.keys(mine ?? {}).some((fact) => {
    const [a, b] = [mine?.[fact], theirs?.[fact]];
    if (a === undefined || b === undefined) return false;
    const [left, right] = [valuesOf(a), valuesOf(b)];
    return !left.some((value) => right.includes(value));
  });
}

function valuesOf(wanted: unknown): readonly unknown[] {
  return Array.isArray(wanted) ? wanted : [wanted];
}

function unknownWords<S extends string, D extends FactDomain, A extends string>(table: StateTable<S, D, A>): string[] {
  const states: readonly string[] = table.states;
  const used = [
    table.initial,
    ...table.final,
    ...table.rows.flatMap((row) => [row.to, ...(row.from === '*' ? [] : valuesOf(row.from))]),
  ];
  const strayStates = used.filter((state) => !states.includes(state as string));
  const strayFacts = table.rows.flatMap((row, i) =>
    Object.entries(row.when).flatMap(([fact, wanted]) => {
      const domain: readonly unknown[] | undefined = fact === 'overdue' ? [true, false] : table.facts[fact];
      const stray = valuesOf(wanted).filter((value) => domain?.includes(value) !== true);
      return stray.map(
        (value) => `${table.name}: row ${i + 1} asks for ${fact} = ${String(value)}, which is never seen`,
      );
    }),
  );
  const overdueWithoutLimit = table.rows.flatMap((row, i) => {
    if (row.when.overdue !== true) return [];
    const from = row.from === '*' ? [] : (valuesOf(row.from) as readonly S[]);
    const endless = from.filter((state) => !rowsFrom(table, state).some((r) => r.within !== undefined));
    return endless.map(
      (state) => `${table.name}: row ${i + 1} waits for state "${state}" to be overdue, which has no limit`,
    );
  });
  return [
    ...strayStates.map((state) => `${table.name}: state "${String(state)}" is not declared`),
    ...strayFacts,
    ...overdueWithoutLimit,
  ];
}
