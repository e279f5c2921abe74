import type { Condition, ConditionReason, ConditionState } from '../condition.ts';
import { parseObject } from '../json.ts';
import type { Sharing } from '../kinds.ts';
import type { Row, SqlValue } from '../store/database.ts';

/** A condition as it is stored: what everybody sees, and what only the engine needs. */
export interface StoredCondition {
  readonly condition: Condition;
  readonly unitSize: number;
  readonly machineId: string | undefined;
  readonly sharing: Sharing;
  readonly isDisruptive: boolean;
  readonly modelKey: string;
  readonly rev: number;
  readonly leaseMs: number;
  readonly requestDeadlineMs: number;
  /** Until when what its holder has sent may still reach the device; undefined where the holder does not say. */
  readonly requestUntil: number | undefined;
  readonly strikes: number;
  readonly sessionUri: string | undefined;
  readonly previous: string | undefined;
  readonly isToldLeftovers: boolean;
  readonly notBefore: number;
  /** Those before it in its unit have succeeded. */
  readonly isTurn: boolean;
  /** Nothing but limits and workers keeps it from being leased. */
  readonly isReady: boolean;
}

/** Reads a text column. */
export function textOf(row: Row, column: string): string {
  return String(row[column] ?? '');
}

/** Reads a number column. */
export function numberOf(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

function optionalText(value: SqlValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function optionalNumber(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function reasonOf(row: Row): ConditionReason | undefined {
  if (row.reason_code === null || row.reason_code === undefined) return undefined;
  return {
    code: textOf(row, 'reason_code'),
    message: textOf(row, 'reason_message'),
    since: numberOf(row, 'reason_since'),
  };
}

function cancelOf(row: Row): Condition['cancel'] {
  if (row.cancel_at === null || row.cancel_at === undefined) return undefined;
  return {
    at: numberOf(row, 'cancel_at'),
    isForced: numberOf(row, 'cancel_is_forced') === 1,
    by: textOf(row, 'cancel_by'),
  };
}

/** Reads a whole row of `conditions`. */
export function readStored(row: Row): StoredCondition {
  return {
    condition: readCondition(row),
    unitSize: numberOf(row, 'unit_size'),
    machineId: optionalText(row.machine_id),
    sharing: textOf(row, 'sharing') as Sharing,
    isDisruptive: numberOf(row, 'is_disruptive') === 1,
    modelKey: textOf(row, 'model_key'),
    rev: numberOf(row, 'rev'),
    leaseMs: numberOf(row, 'lease_ms'),
    requestDeadlineMs: numberOf(row, 'request_deadline_ms'),
    requestUntil: optionalNumber(row.request_until),
    strikes: numberOf(row, 'strikes'),
    sessionUri: optionalText(row.session_uri),
    previous: optionalText(row.previous),
    isToldLeftovers: numberOf(row, 'is_told_leftovers') === 1,
    notBefore: numberOf(row, 'not_before'),
    isTurn: numberOf(row, 'is_turn') === 1,
    isReady: numberOf(row, 'is_ready') === 1,
  };
}

/** Reads what everybody sees of a row of `conditions`. */
export function readCondition(row: Row): Condition {
  return {
    id: textOf(row, 'id'),
    unit: textOf(row, 'unit'),
    unitIndex: numberOf(row, 'unit_index'),
    target: textOf(row, 'target'),
    lockKey: textOf(row, 'lock_key'),
    kind: textOf(row, 'kind'),
    state: textOf(row, 'state') as ConditionState,
    parameters: parseObject(textOf(row, 'parameters')),
    status: parseObject(textOf(row, 'status')),
    progress: parseObject(textOf(row, 'progress')),
    controller: optionalText(row.controller),
    lock: lockOf(numberOf(row, 'rev')),
    priority: numberOf(row, 'priority'),
    facility: textOf(row, 'facility'),
    client: textOf(row, 'client'),
    reason: reasonOf(row),
    fencingToken: numberOf(row, 'fencing_token'),
    leaseUntil: optionalNumber(row.lease_until),
    leases: numberOf(row, 'leases'),
    cancel: cancelOf(row),
    isCancelUnsafe: numberOf(row, 'is_cancel_unsafe') === 1,
    deadline: optionalNumber(row.deadline),
    ...(typeof row.traceparent === 'string' ? { traceparent: row.traceparent } : {}),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
    finalizedAt: optionalNumber(row.finalized_at),
  };
}

/** The opaque lock of a revision. */
export function lockOf(rev: number): string {
  return `r${rev.toString(36)}`;
}
