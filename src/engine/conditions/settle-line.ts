import { heldBackBy } from '../claims/claim.ts';
import { holdColumns, readHolds } from '../claims/claim-row.ts';
import type { ReadyWork } from '../hints.ts';
import type { Sharing } from '../kinds.ts';
import type { Row, Transaction } from '../store/database.ts';
import { numberOf, textOf } from './condition-row.ts';
import { inList } from './in-list.ts';
import { decideLine, type InLine } from './line.ts';

/** Somebody in line, with what was written about it last. */
export interface SeenInLine extends InLine {
  readonly lockKey: string;
  readonly facility: string;
  readonly kind: string;
  readonly fencingToken: number;
  readonly wasReady: boolean;
  readonly reasonCode: string | undefined;
  readonly reasonMessage: string | undefined;
}

/** Reads a row of `readLineRows` as somebody in line. */
export function readInLine(row: Row): SeenInLine {
  const sharing = textOf(row, 'sharing') as Sharing;
  const isDisruptive = numberOf(row, 'is_disruptive') === 1;
  const work = { kind: textOf(row, 'kind'), sharing, isDisruptive, owner: textOf(row, 'owner') };
  return {
    id: textOf(row, 'id'),
    target: textOf(row, 'target'),
    lockKey: textOf(row, 'lock_key'),
    isActive: row.state === 'active',
    isBegun: row.sharing === 'exclusive' && numberOf(row, 'fencing_token') > 0,
    sharing,
    priority: numberOf(row, 'priority'),
    createdAt: numberOf(row, 'created_at'),
    isTurn: numberOf(row, 'is_turn') === 1,
    hold: heldBackBy(work, readHolds(row)),
    facility: textOf(row, 'facility'),
    kind: work.kind,
    fencingToken: numberOf(row, 'fencing_token'),
    wasReady: numberOf(row, 'is_ready') === 1,
    reasonCode: row.reason_code === null ? undefined : textOf(row, 'reason_code'),
    reasonMessage: row.reason_message === null ? undefined : textOf(row, 'reason_message'),
  };
}

/** The whole rows of everybody in the lines of these lock keys, with what holds their machines. */
export async function readLineRows(tx: Transaction, lockKeys: readonly string[]): Promise<readonly Row[]> {
  const keys = inList(lockKeys);
  return await tx.all(
    `SELECT c.*, ${holdColumns} FROM conditions c
      LEFT JOIN machines m ON m.id = c.machine_id LEFT JOIN claims o ON o.owner = m.claim_owner
      WHERE c.finalized_at IS NULL AND c.lock_key IN ${keys.sql}`,
    ...keys.values,
  );
}

/** Everybody in the lines of these lock keys. */
export async function readLines(tx: Transaction, lockKeys: readonly string[]): Promise<Map<string, SeenInLine[]>> {
  const rows = await readLineRows(tx, lockKeys);
  return Map.groupBy(rows.map(readInLine), (one) => one.lockKey);
}

/**
 * Writes anew who of a line may go on, and why the others may not; only what differs is written. Called whenever a line
 * changes, so that reasons are written when they arise and leasing workers see only what can be leased.
 */
export async function settleLine(tx: Transaction, line: readonly SeenInLine[]): Promise<readonly ReadyWork[]> {
  const seen = new Map(line.map((one) => [one.id, one]));
  const ready: ReadyWork[] = [];
  for (const standing of decideLine(line)) {
    const one = seen.get(standing.id);
    if (one === undefined) continue;
    const isSame = one.wasReady === standing.isReady && isSameReason(one, standing.reason);
    if (isSame) continue;
    if (standing.isReady) ready.push({ facility: one.facility, kind: one.kind, conditionId: one.id });
    await tx.run(
      `UPDATE conditions SET is_ready = ?, reason_code = ?, reason_message = ?, reason_since = ?, rev = rev + 1,
         updated_at = ? WHERE id = ? AND state = 'pending'`,
      standing.isReady ? 1 : 0,
      standing.reason?.code ?? null,
      standing.reason?.message ?? null,
      standing.reason === undefined ? null : tx.now,
      tx.now,
      standing.id,
    );
  }
  return ready;
}

function isSameReason(
  one: SeenInLine,
  reason: { readonly code: string; readonly message: string } | undefined,
): boolean {
  // A ready one may carry why it was given back last; that stays until it is leased.
  if (reason === undefined) return one.wasReady || one.reasonCode === undefined;
  return one.reasonCode === reason.code && one.reasonMessage === reason.message;
}

/** Settles the lines of these lock keys as they stand now. */
export async function settleKeys(tx: Transaction, lockKeys: readonly string[]): Promise<readonly ReadyWork[]> {
  const keys = [...new Set(lockKeys)];
  if (keys.length === 0) return [];
  const ready: ReadyWork[] = [];
  for (const line of (await readLines(tx, keys)).values()) ready.push(...(await settleLine(tx, line)));
  return ready;
}
