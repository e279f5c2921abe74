import type { Row, SqlValue, Transaction } from '../store/database.ts';
import type { LeftWork } from './left-work.ts';
import type { Standing } from './line.ts';
import type { PlannedOrder } from './plan-order.ts';

/** A condition about to be stored. */
export interface NewCondition {
  readonly id: string;
  readonly unit: string;
  readonly unitIndex: number;
  readonly unitSize: number;
  readonly target: string;
  readonly machineId: string | undefined;
  readonly lockKey: string;
  readonly planned: PlannedOrder;
  readonly facility: string;
  readonly modelKey: string;
  readonly client: string;
  readonly owner: string | undefined;
  readonly traceparent: string | undefined;
  readonly now: number;
  /** What the one before it left in the middle, where this one goes on with it. */
  readonly left: LeftWork | undefined;
}

function columnsOf(draft: NewCondition, standing: Standing | undefined): Record<string, SqlValue> {
  const { planned, now } = draft;
  const { definition } = planned;
  const reason = standing?.reason;
  return {
    id: draft.id,
    unit: draft.unit,
    unit_index: draft.unitIndex,
    unit_size: draft.unitSize,
    target: draft.target,
    machine_id: draft.machineId ?? null,
    lock_key: draft.lockKey,
    kind: definition.kind,
    sharing: definition.sharing,
    is_disruptive: definition.isDisruptive ? 1 : 0,
    state: 'pending',
    parameters: planned.sealedText,
    status: '{}',
    progress: draft.left?.progressText ?? '{}',
    rev: 1,
    priority: planned.priority,
    facility: draft.facility,
    model_key: draft.modelKey,
    client: draft.client,
    owner: draft.owner ?? '',
    traceparent: draft.traceparent ?? null,
    reason_code: reason?.code ?? null,
    reason_message: reason?.message ?? null,
    reason_since: reason === undefined ? null : now,
    fencing_token: 0,
    lease_ms: definition.leaseMs,
    request_deadline_ms: definition.requestDeadlineMs,
    leases: 0,
    strikes: 0,
    is_told_leftovers: 0,
    is_cancel_unsafe: draft.left === undefined ? 0 : 1,
    deadline: planned.deadlineMs === undefined ? null : Math.trunc(now + planned.deadlineMs),
    not_before: 0,
    is_turn: draft.unitIndex === 0 ? 1 : 0,
    is_ready: standing?.isReady === true ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
}

/** Stores new conditions in one statement and gives their rows. */
export async function insertConditions(
  tx: Transaction,
  drafts: readonly { readonly draft: NewCondition; readonly standing: Standing | undefined }[],
): Promise<Row[]> {
  const all = drafts.map(({ draft, standing }) => columnsOf(draft, standing));
  const names = Object.keys(all[0] ?? {});
  const marks = `(${names.map(() => '?').join(', ')})`;
  return await tx.all(
    `INSERT INTO conditions (${names.join(', ')}) VALUES ${all.map(() => marks).join(', ')} RETURNING *`,
    ...all.flatMap((columns) => Object.values(columns)),
  );
}
