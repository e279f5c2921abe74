import type { JsonObject } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import { EngineError } from '../errors.ts';
import { lockKeyOf, machineIdOf, readMachine } from '../machines/machine-row.ts';
import type { Transaction } from '../store/database.ts';
import { textOf } from './condition-row.ts';
import { forUpdate, lockLines } from './lock-lines.ts';
import { writeEvents } from './outbox.ts';

/** Something that somebody knows of a target without having worked on it. */
export interface TargetNote {
  readonly target: string;
  readonly event: string;
  /** The kind of work that would have found it out. */
  readonly kind: string;
  readonly detail: JsonObject;
}

/**
 * Writes an event about a target in somebody else's transaction, while nothing exclusive is active there: what a worker
 * finds out is newer. The transaction has to be one with `isolation: 'row-locks'`, as for a report. Throws
 * `unknownMachine`, `machineBusy`.
 */
export async function joinNote(context: EngineContext, tx: Transaction, note: TargetNote): Promise<void> {
  if (tx.isolation === 'serializable') throw new TypeError(`a note joins only writes with isolation 'row-locks'`);
  const lockKey = await lockKeyOfTarget(context, tx, note.target);
  await lockLines(context, tx, [lockKey]);
  const query = `SELECT id, kind FROM conditions WHERE lock_key = ? AND state = 'active' AND sharing = 'exclusive'`;
  const busy = await tx.all(query, lockKey);
  if (busy.length > 0) {
    const conditions = busy.map((row) => `${textOf(row, 'kind')} ${textOf(row, 'id')}`).join(', ');
    throw new EngineError('machineBusy', { machine: note.target, what: 'told of by others', conditions });
  }
  const { target, event, kind, detail } = note;
  await writeEvents(context, tx, [{ event, target, kind, detail }]);
}

async function lockKeyOfTarget(context: EngineContext, tx: Transaction, target: string): Promise<string> {
  const id = machineIdOf(target);
  if (id === undefined) return target;
  const row = await tx.first(`SELECT * FROM machines WHERE id = ?${forUpdate(context)}`, id);
  if (row === undefined) throw new EngineError('unknownMachine', { machine: id });
  return lockKeyOf(target, readMachine(row));
}
