import { isDeepStrictEqual } from 'node:util';
import type { Condition, JsonObject } from '../condition.ts';
import type { StoredCondition } from '../conditions/condition-row.ts';
import { numberOf, textOf } from '../conditions/condition-row.ts';
import type { EngineContext } from '../context.ts';
import type { CreateOrder, CreateOutcome } from '../engine.ts';
import { isEngineError } from '../errors.ts';
import type { KindDefinition } from '../kinds.ts';
import type { OutdatedMachine } from '../machine.ts';
import { machineIdOf, targetOf } from '../machines/machine-row.ts';
import type { Row, Transaction } from '../store/database.ts';

/** Who asks for the readings that this schedules. */
export const rereadClient = 'engine/reread';

/** A device that was left in the middle of a write may go on with it: what is read of it is read once more after so long. */
const settleMs = 30 * 60_000;

const retry = { fromMs: 60_000, toMs: 15 * 60_000 };

/** Marks machines whose work has ended as outdated, and those that were read as known again. Done in the transaction of the end. */
export async function followReads(
  context: EngineContext,
  tx: Transaction,
  ended: readonly StoredCondition[],
): Promise<void> {
  for (const stored of ended) {
    const { condition } = stored;
    const { kind } = condition;
    const machineId = machineIdOf(condition.target);
    if (machineId === undefined) continue;
    if (context.kinds.isReading(kind)) await noteReading(tx, { machineId, condition });
    const reread = context.kinds.get(kind)?.reread;
    // Work that nobody began has changed nothing.
    if (reread === undefined || condition.fencingToken === 0) continue;
    const reported = reread.settlesAt?.(condition.status) ?? tx.now;
    const settlesAt = Math.max(reported, condition.isCancelUnsafe ? tx.now + settleMs : tx.now);
    if (settlesAt <= tx.now && reread.isDone?.(condition.status) === true) continue;
    await markOutdated(tx, { stored, machineId, reread, settlesAt });
  }
}

async function markOutdated(
  tx: Transaction,
  marking: {
    readonly stored: StoredCondition;
    readonly machineId: string;
    readonly reread: Pick<NonNullable<KindDefinition['reread']>, 'kind' | 'parameters'>;
    readonly settlesAt: number;
  },
): Promise<void> {
  const { stored, machineId, reread, settlesAt } = marking;
  await tx.run(
    `INSERT INTO outdated_machines (machine_id, kind, since, condition_id, settles_at, next_at, failures, parameters)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT (machine_id, kind) DO UPDATE SET since = excluded.since,
       condition_id = excluded.condition_id, next_at = excluded.next_at, failures = 0,
       settles_at = CASE WHEN excluded.settles_at > outdated_machines.settles_at
         THEN excluded.settles_at ELSE outdated_machines.settles_at END,
       parameters = CASE WHEN excluded.parameters = '{}' THEN outdated_machines.parameters ELSE excluded.parameters END`,
    machineId,
    reread.kind,
    tx.now,
    stored.condition.id,
    settlesAt,
    tx.now,
    JSON.stringify(reread.parameters ?? {}),
  );
}

/** Work that changes a machine is never beside a reading of it: one that ended well began after the work. */
async function noteReading(
  tx: Transaction,
  reading: { readonly machineId: string; readonly condition: Condition },
): Promise<void> {
  const { machineId, condition } = reading;
  const about = [machineId, condition.kind] as const;
  const row = await tx.first(
    `SELECT failures, parameters FROM outdated_machines WHERE machine_id = ? AND kind = ?`,
    ...about,
  );
  if (row === undefined) return;
  if (condition.state === 'succeeded') {
    if (!hasParameters(condition, parametersOf(row))) return;
    await tx.run(
      `DELETE FROM outdated_machines WHERE machine_id = ? AND kind = ? AND settles_at <= ?`,
      ...about,
      tx.now,
    );
    await tx.run(
      `UPDATE outdated_machines SET next_at = settles_at, failures = 0 WHERE machine_id = ? AND kind = ?`,
      ...about,
    );
    return;
  }
  const failures = numberOf(row, 'failures') + 1;
  await tx.run(
    `UPDATE outdated_machines SET failures = ?, next_at = ? WHERE machine_id = ? AND kind = ?`,
    failures,
    tx.now + Math.min(retry.toMs, retry.fromMs * 2 ** Math.min(10, failures - 1)),
    ...about,
  );
}

function parametersOf(row: Row): JsonObject {
  return JSON.parse(textOf(row, 'parameters')) as JsonObject;
}

function hasParameters({ parameters }: Condition, needed: JsonObject): boolean {
  return Object.entries(needed).every(([name, value]) => isDeepStrictEqual(parameters[name], value));
}

const isDue = `next_at <= ? AND NOT EXISTS (SELECT 1 FROM conditions c WHERE c.machine_id = outdated_machines.machine_id
  AND c.kind = outdated_machines.kind AND c.finalized_at IS NULL)`;

/**
 * Asks for one reading of each outdated machine that is due and has none waiting. What is refused is asked for again with the
 * next sweep. Returns how many were asked for.
 */
export async function scheduleRereads(
  context: EngineContext,
  create: (order: CreateOrder) => Promise<CreateOutcome>,
): Promise<number> {
  const rows = await context.database.read((tx) =>
    tx.all(
      `SELECT * FROM outdated_machines WHERE ${isDue} ORDER BY next_at LIMIT ?`,
      tx.now,
      context.settings.sweepRows,
    ),
  );
  let created = 0;
  for (const row of rows) {
    const { machineId, kind } = readRow(row);
    try {
      const orders = [{ kind, parameters: parametersOf(row) }];
      const { outcome } = await create({ target: targetOf(machineId), client: rereadClient, orders });
      if (outcome === 'created') created += 1;
    } catch (error) {
      if (isEngineError(error, 'unknownMachine', 'unknownKind')) await forget(context, machineId);
      else if (isEngineError(error, 'queueFull', 'kindQueueFull', 'blockedQueueFull')) return created;
      else throw error;
    }
  }
  return created;
}

async function forget(context: EngineContext, machineId: string): Promise<void> {
  await context.write((tx) => tx.run(`DELETE FROM outdated_machines WHERE machine_id = ?`, machineId));
}

/** Since when what is known of a machine is from before some work on it; undefined once it has been read again. */
export async function findOutdated(context: EngineContext, machineId: string): Promise<OutdatedMachine | undefined> {
  const row = await context.database.read((tx) =>
    tx.first(`SELECT * FROM outdated_machines WHERE machine_id = ? ORDER BY since DESC LIMIT 1`, machineId),
  );
  return row === undefined ? undefined : readRow(row);
}

function readRow(row: Row): OutdatedMachine {
  return {
    machineId: textOf(row, 'machine_id'),
    kind: textOf(row, 'kind'),
    since: numberOf(row, 'since'),
    conditionId: textOf(row, 'condition_id'),
    failures: numberOf(row, 'failures'),
  };
}
