import type { ConditionState, JsonObject } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { EngineEvent } from '../engine.ts';
import { parseObject } from '../json.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import { numberOf, type StoredCondition, textOf } from './condition-row.ts';
import { forUpdate } from './lock-lines.ts';

/** Something that happened, to be written with the change itself. */
export interface EventDraft {
  readonly event: string;
  readonly detail?: JsonObject;
  /** The condition as it is after the change. */
  readonly about?: StoredCondition;
  /** What it concerns, where no condition says so. */
  readonly target?: string;
  readonly kind?: string;
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
    const target = about?.target ?? draft.target ?? null;
    const told = [about?.id ?? null, target, about?.kind ?? draft.kind ?? null, about?.state ?? null];
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

/** How many events one transaction numbers: nobody may have asked for them for a month. */
const mostNumbered = 500;

/**
 * Numbers events that have no number yet, the oldest first; false when that was all. Who writes an event does not number
 * it: two transactions may commit in another order than they took numbers, and a follower that has seen the greater one
 * would miss the smaller.
 */
async function numberSome(context: EngineContext, tx: Transaction): Promise<boolean> {
  // Whoever numbers beside us waits here, and finds ours numbered afterwards.
  const counter = await tx.first(`SELECT number_value FROM engine_facts WHERE name = 'event-seq'${forUpdate(context)}`);
  const before = numberOf(counter ?? {}, 'number_value');
  const numbered = await tx.run(
    `UPDATE events SET seq = ? + numbered.place
       FROM (SELECT id, row_number() OVER (ORDER BY happened_at, rev, id) AS place FROM (SELECT id, happened_at, rev
               FROM events WHERE seq IS NULL ORDER BY happened_at, rev, id LIMIT ?) AS oldest) AS numbered
      WHERE events.id = numbered.id`,
    before,
    mostNumbered,
  );
  await tx.run(`UPDATE engine_facts SET number_value = ? WHERE name = 'event-seq'`, before + numbered);
  return numbered === mostNumbered;
}

/** Numbers what has no number yet. */
async function numberAll(context: EngineContext): Promise<void> {
  const hasNew = await context.database.read((tx) => tx.first(`SELECT id FROM events WHERE seq IS NULL LIMIT 1`));
  for (let isMore = hasNew !== undefined; isMore; ) isMore = await context.write((tx) => numberSome(context, tx));
}

/** The number of the last event; 0 when there never was one. */
export async function lastEvent(context: EngineContext): Promise<number> {
  await numberAll(context);
  const row = await context.database.read((tx) =>
    tx.first(`SELECT number_value FROM engine_facts WHERE name = 'event-seq'`),
  );
  return numberOf(row ?? {}, 'number_value');
}

/** Lets the counter jump, never back. What happened before is numbered before: it is not newer than what had that number. */
export async function numberAfter(context: EngineContext, seq: number): Promise<void> {
  await numberAll(context);
  await context.write((tx) =>
    tx.run(`UPDATE engine_facts SET number_value = ? WHERE name = 'event-seq' AND number_value < ?`, seq, seq),
  );
}

/** The events after `seq`, oldest first. */
export async function eventsAfter(context: EngineContext, seq: number, limit: number): Promise<readonly EngineEvent[]> {
  await numberAll(context);
  const rows = await context.database.read((tx) =>
    tx.all(`SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, seq, Math.max(0, Math.trunc(limit))),
  );
  return rows.map(readEvent);
}
