import { numberOf, textOf } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import type { WorkerIdentity } from '../worker/worker-port.ts';
import type { Budget } from './budget.ts';

/** A condition that looked as if it could be leased. */
export interface Candidate {
  readonly id: string;
  readonly lockKey: string;
  readonly facility: string;
  readonly modelKey: string;
  readonly kind: string;
}

/** More parts than this in one statement take longer to prepare than two statements take to run. */
const longestUnion = 50;

interface Place {
  readonly facility: string;
  readonly kind: string;
}

interface Part {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * One walk along the index of what is ready for each facility and kind: each stops after `most` rows, so that it costs
 * the same however many wait.
 */
function partOf(
  place: Place,
  skip: readonly string[],
  more: { readonly now: number; readonly most: number; readonly index: number },
): Part {
  const models = inList(skip);
  const skipped = skip.length === 0 ? '' : ` AND model_key NOT IN ${models.sql}`;
  const sql = `SELECT * FROM (SELECT id, lock_key, facility, model_key, kind, priority, created_at FROM conditions
    WHERE state = 'pending' AND is_ready = 1 AND facility = ? AND kind = ? AND not_before <= ?${skipped}
    ORDER BY priority DESC, created_at, id LIMIT ?) AS part${more.index}`;
  return {
    sql,
    values: [...[place.facility, place.kind, more.now, ...(skip.length === 0 ? [] : models.values)], more.most],
  };
}

function compare(a: Row, b: Row): number {
  return (
    numberOf(b, 'priority') - numberOf(a, 'priority') ||
    numberOf(a, 'created_at') - numberOf(b, 'created_at') ||
    (textOf(a, 'id') < textOf(b, 'id') ? -1 : 1)
  );
}

/** All that is ready on one target: a few rows, found by its name. */
async function findOnTarget(tx: Transaction, target: string, places: readonly Place[]): Promise<Row[]> {
  const rows = await tx.all(
    `SELECT id, lock_key, facility, model_key, kind, priority, created_at FROM conditions
      WHERE target = ? AND finalized_at IS NULL AND state = 'pending' AND is_ready = 1 AND not_before <= ?`,
    target,
    tx.now,
  );
  return rows.filter((row) => places.some((one) => one.facility === row.facility && one.kind === row.kind));
}

/** What a worker could lease now, best first; at most `most` of each facility and kind. */
export async function findCandidates(
  tx: Transaction,
  worker: WorkerIdentity,
  search: { readonly budget: Budget; readonly most: number; readonly target?: string | undefined },
): Promise<readonly Candidate[]> {
  const { budget, most, target } = search;
  const full = new Set(budget.fullFacilities);
  // Work of no facility is anybody's.
  const facilities = [...new Set([...worker.facilities, ''])].filter((one) => !full.has(one));
  const fullKinds = new Set(budget.fullKinds);
  const kinds = worker.kinds.filter((one) => !fullKinds.has(one));
  const places = facilities.flatMap((facility) => kinds.map((kind) => ({ facility, kind })));
  if (target !== undefined) return sorted(await findOnTarget(tx, target, places));
  const rows: Row[] = [];
  for (let start = 0; start < places.length; start += longestUnion) {
    const parts = places
      .slice(start, start + longestUnion)
      .map((place, index) => partOf(place, budget.fullModels, { now: tx.now, most, index }));
    const sql = parts.map((part) => part.sql).join(' UNION ALL ');
    rows.push(...(await tx.all(sql, ...parts.flatMap((part) => part.values))));
  }
  return sorted(rows);
}

function sorted(rows: Row[]): readonly Candidate[] {
  return rows.sort(compare).map((row) => ({
    id: textOf(row, 'id'),
    lockKey: textOf(row, 'lock_key'),
    facility: textOf(row, 'facility'),
    modelKey: textOf(row, 'model_key'),
    kind: textOf(row, 'kind'),
  }));
}
