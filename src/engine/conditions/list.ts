import { type Condition, conditionStates } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { ConditionPage, ConditionQuery } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import { readCondition, textOf } from './condition-row.ts';
import { explainWaiting } from './explain.ts';
import { inList } from './in-list.ts';
import { openedJson } from './sealed-urls.ts';

const defaultLimit = 100;
const mostOnPage = 1000;

interface Filter {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A place between two conditions, newest first. */
interface Place {
  readonly createdAt: number;
  readonly id: string;
}

function writePlace({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

function readPlace(text: string): Place {
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new EngineError('badQuery', {}, { problems: ['after is not what a page before gave'] });
}

function filterOf(context: EngineContext, query: ConditionQuery): Filter {
  const parts: string[] = ['1 = 1'];
  const values: SqlValue[] = [];
  const add = (sql: string, ...more: readonly SqlValue[]): void => {
    parts.push(sql);
    values.push(...more);
  };
  if (query.target !== undefined) add('target = ?', query.target);
  if (query.kind !== undefined) add('kind = ?', context.kinds.get(query.kind)?.kind ?? query.kind);
  if (query.facility !== undefined) add('facility = ?', query.facility);
  if (query.controller !== undefined) add('controller = ?', query.controller);
  if (query.unit !== undefined) add('unit = ?', query.unit);
  if (query.states !== undefined) {
    const unknown = query.states.filter((state) => !conditionStates.includes(state));
    if (unknown.length > 0)
      throw new EngineError('badQuery', {}, { problems: [`there is no state ${unknown.join(', ')}`] });
    const states = inList(query.states);
    add(`state IN ${states.sql}`, ...states.values);
  }
  if (query.after !== undefined) {
    const { createdAt, id } = readPlace(query.after);
    add('(created_at < ? OR (created_at = ? AND id < ?))', createdAt, createdAt, id);
  }
  return { sql: parts.join(' AND '), values };
}

function newestFirst(a: Condition, b: Condition): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

function limitOf({ limit = defaultLimit }: ConditionQuery): number {
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, mostOnPage);
  throw new EngineError('badQuery', {}, { problems: ['limit must be a whole number above 0'] });
}

/** One page of conditions, newest first. Throws `badQuery`. */
export async function listConditions(context: EngineContext, query: ConditionQuery): Promise<ConditionPage> {
  const limit = limitOf(query);
  const filter = filterOf(context, query);
  const order = `${filter.sql} ORDER BY created_at DESC, id DESC LIMIT ?`;
  return await context.database.read(async (tx) => {
    const rows = await tx.all(`SELECT * FROM conditions WHERE ${order}`, ...filter.values, limit + 1);
    const old =
      query.isWithHistory === true
        ? await tx.all(`SELECT record FROM history WHERE ${order}`, ...filter.values, limit + 1)
        : [];
    const found = [...rows.map(readCondition), ...old.map((row) => readRecord(context, row))].sort(newestFirst);
    const page = await explainWaiting(context, tx, found.slice(0, limit));
    const last = page.at(-1);
    return { conditions: page, next: found.length > limit && last !== undefined ? writePlace(last) : undefined };
  });
}

/** A condition, also one in the history. */
export async function getCondition(context: EngineContext, id: string): Promise<Condition | undefined> {
  return await context.database.read(async (tx) => {
    const row = await tx.first(`SELECT * FROM conditions WHERE id = ?`, id);
    if (row === undefined) return await getFromHistory(context, tx, id);
    const [explained] = await explainWaiting(context, tx, [readCondition(row)]);
    return explained;
  });
}

async function getFromHistory(context: EngineContext, tx: Transaction, id: string): Promise<Condition | undefined> {
  const row = await tx.first(`SELECT record FROM history WHERE id = ?`, id);
  return row === undefined ? undefined : readRecord(context, row);
}

/** JSON has no `undefined`: members without a value are missing from the text. */
function readRecord(context: EngineContext, row: Row): Condition {
  const absent = {
    controller: undefined,
    reason: undefined,
    leaseUntil: undefined,
    cancel: undefined,
    isCancelUnsafe: false,
    deadline: undefined,
    finalizedAt: undefined,
  };
  return { ...absent, ...(JSON.parse(openedJson(context, textOf(row, 'record'))) as Condition) };
}
