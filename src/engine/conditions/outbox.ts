import type { ConditionState, JsonObject } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { EngineEvent } from '../engine.ts';
import { parseObject } from '../json.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import { numberOf, type StoredCondition, textOf } from './condition-row.ts';

/** Something that happened, to be written with the change itself. */
export interface EventDraft {
  readonly event: string;
  readonly detail?: JsonObject;
  /** The condition as it is after the change. */
  readonly about?: StoredCondition;
}

const columns = 'id, happened_at, rev, event, condition_id, target, kind, state, detail';

/** Writes events in the transaction of the change they tell of: both are there, or neither. */
export async function writeEvents(
  context: EngineContext,
  tx: Transaction,
  drafts: readonly EventDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const values = drafts.flatMap((draft): SqlValue[] => {
    const about = draft.about?.condition;
    const told = [about?.id ?? null, about?.target ?? null, about?.kind ?? null, about?.state ?? null];
    const detail = JSON.stringify(draft.detail ?? {});
    return [context.newId(tx.now), tx.now, draft.about?.rev ?? 0, draft.event, ...told, detail];
  });
  const rows = drafts.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
  await tx.run(`INSERT INTO events (${columns}) VALUES ${rows}`, ...values);
}

function readEvent(row: Row): EngineEvent {
  const text = (column: string) => (row[column] === null ? undefined : textOf(row, column));
  return {
    seq: numberOf(row, 'seq'),
    at: numberOf(row, 'happened_at'),
    event: textOf(row, 'event'),
    conditionId: text('condition_id'),
    target: text('target'),
    kind: text('kind'),
    state: text('state') as ConditionState | undefined,
    detail: parseObject(textOf(row, 'detail')),
  };
}

/**
 * Numbers the events that have no number yet. Who writes an event does not number it: two transactions may commit in
 * another order than they took numbers, and a follower that has seen the greater one would miss the smaller.
 */
async function numberEvents(tx: Transaction): Promise<void> {
  const waiting = await tx.first(`SELECT count(*) AS n FROM events WHERE seq IS NULL`);
  const n = numberOf(waiting ?? {}, 'n');
  if (n === 0) return;
  const counter = await tx.first(
    `UPDATE engine_facts SET number_value = number_value + ? WHERE name = 'event-seq' RETURNING number_value`,
    n,
  );
  const before = numberOf(counter ?? {}, 'number_value') - n;
  await tx.run(
    `UPDATE events SET seq = ? + numbered.place
       FROM (SELECT id, row_number() OVER (ORDER BY happened_at, rev, id) AS place FROM events WHERE seq IS NULL) AS numbered
      WHERE events.id = numbered.id`,
    before,
  );
}

/** The events after `seq`, oldest first. */
export async function eventsAfter(context: EngineContext, seq: number, limit: number): Promise<readonly EngineEvent[]> {
  const { database } = context;
  const hasNew = await database.read((tx) => tx.first(`SELECT id FROM events WHERE seq IS NULL LIMIT 1`));
  if (hasNew !== undefined) await database.write(numberEvents);
  const rows = await database.read((tx) =>
    tx.all(`SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, seq, Math.max(0, Math.trunc(limit))),
  );
  return rows.map(readEvent);
}
