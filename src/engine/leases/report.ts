import { type Condition, isFinal } from '../condition.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { type Aftermath, followEnd, noAftermath, tellAftermath } from '../conditions/finalize.ts';
import { lockLineOf } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import { sealedJson } from '../conditions/sealed-urls.ts';
import { toldText } from '../conditions/told-text.ts';
import type { EngineContext } from '../context.ts';
import { EngineError } from '../errors.ts';
import { identifyBmc } from '../machines/identify.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import type { CheckOptions, ReportOutcome, WorkReport } from '../worker/worker-port.ts';
import { forgetLeftovers } from './fence.ts';

/** A lease as its holder names it. */
export interface HeldLease {
  readonly conditionId: string;
  readonly token: number;
}

/** What makes a lease a held one: the newest token, an active condition, and time left by the store's clock. */
export const heldLease = `id = ? AND fencing_token = ? AND state = 'active' AND lease_until > ?`;

interface Reported {
  readonly outcome: ReportOutcome;
  readonly aftermath: Aftermath;
  readonly changed: Condition | undefined;
  readonly isRepeated?: boolean;
}

/** Takes a report: refused with an old token, otherwise the lease is renewed or the condition ends. */
export async function takeReport(context: EngineContext, lease: HeldLease, report: WorkReport): Promise<ReportOutcome> {
  const why = report.bmc === undefined ? undefined : await identifyBmc(context, lease, report.bmc);
  if (why !== undefined) return { outcome: 'lost', why };
  const { outcome, aftermath, changed } = await context.write((tx) => reportIn(context, tx, { lease, report }));
  if (outcome.outcome === 'lost') context.metrics.staleWrite('report');
  if (changed !== undefined) context.hints.changed(changed);
  tellAftermath(context, aftermath);
  return outcome;
}

/** A report that is part of somebody else's transaction. */
export interface JoinedReport {
  readonly outcome: ReportOutcome;
  /** It was taken before, and its answer was lost: what belongs to it is stored already. */
  readonly isRepeated: boolean;
  /** Tells others what followed; to be called once the transaction is durable. */
  tell(): void;
}

/**
 * Takes a report in the transaction of what belongs to it: both are stored, or neither. The transaction has to be one with
 * `isolation: 'row-locks'`: a serializable one would not see who came into the line since it began.
 */
export async function joinReport(
  context: EngineContext,
  tx: Transaction,
  asked: { readonly lease: HeldLease; readonly report: WorkReport },
): Promise<JoinedReport> {
  if (tx.isolation === 'serializable') throw new TypeError(`a report joins only writes with isolation 'row-locks'`);
  const { outcome, aftermath, changed, isRepeated = false } = await reportIn(context, tx, asked);
  if (outcome.outcome === 'lost') context.metrics.staleWrite('report');
  return {
    outcome,
    isRepeated,
    tell() {
      if (changed !== undefined) context.hints.changed(changed);
      tellAftermath(context, aftermath);
    },
  };
}

async function reportIn(
  context: EngineContext,
  tx: Transaction,
  asked: { readonly lease: HeldLease; readonly report: WorkReport },
): Promise<Reported> {
  const { lease, report } = asked;
  if (report.state !== undefined && isFinal(report.state)) await lockLineOf(context, tx, lease.conditionId);
  const row = await writeReport(context, tx, { lease, report });
  if (row === undefined) {
    const outcome = await sayWhyLost(tx, lease, report);
    return { outcome, aftermath: noAftermath, changed: undefined, isRepeated: outcome.outcome === 'kept' };
  }
  const stored = readStored(row);
  const { condition } = stored;
  const outcome: ReportOutcome = { outcome: 'kept', until: condition.leaseUntil ?? tx.now, cancel: condition.cancel };
  if (isFinal(condition.state)) {
    await forgetLeftovers(tx, stored);
    return { outcome, aftermath: await followEnd(context, tx, stored), changed: undefined };
  }
  if (report.status === undefined) return { outcome, aftermath: noAftermath, changed: undefined };
  await writeEvents(context, tx, [reportedEvent(stored)]);
  return { outcome, aftermath: noAftermath, changed: condition };
}

function reportedEvent(about: StoredCondition) {
  const { status, controller } = about.condition;
  return { event: 'reported', about, detail: { controller: controller ?? null, status } };
}

/** One statement: the row changes only under the holder's token, and says what it is now. */
async function writeReport(
  context: EngineContext,
  tx: Transaction,
  { lease, report }: { readonly lease: HeldLease; readonly report: WorkReport },
): Promise<Row | undefined> {
  const sets: string[] = ['rev = rev + 1', 'updated_at = ?'];
  const values: SqlValue[] = [tx.now];
  const set = (sql: string, ...more: readonly SqlValue[]): void => {
    sets.push(sql);
    values.push(...more);
  };
  if (report.status !== undefined) set('status = ?', JSON.stringify(report.status));
  if (report.progress !== undefined) set('progress = ?', sealedJson(context, JSON.stringify(report.progress)));
  if (report.sessionUri !== undefined) set('session_uri = ?', toldText(report.sessionUri));
  if (report.isCancelUnsafe !== undefined) set('is_cancel_unsafe = ?', report.isCancelUnsafe ? 1 : 0);
  if (report.state === undefined || report.state === 'active') set('lease_until = ? + lease_ms', tx.now);
  else set(`state = ?, finalized_at = ?, lease_until = NULL`, report.state, tx.now);
  if (report.state === 'failed') setReason(set, report, tx.now);
  return await tx.first(
    `UPDATE conditions SET ${sets.join(', ')} WHERE ${heldLease} RETURNING *`,
    ...values,
    lease.conditionId,
    lease.token,
    tx.now,
  );
}

/** A failure after somebody asked to cancel is a cancel, whatever the worker calls it. */
function setReason(set: (sql: string, ...more: readonly SqlValue[]) => void, report: WorkReport, now: number): void {
  const code = toldText(report.reason?.code ?? 'Failed');
  const message = toldText(report.reason?.message ?? 'the worker gave no reason');
  set(
    `reason_code = CASE WHEN cancel_at IS NULL THEN ? WHEN cancel_by = 'deadline' THEN 'DeadlinePassed' ELSE 'Cancelled' END`,
    code,
  );
  set(`reason_message = ?, reason_since = ?`, message, now);
}

/** A report that came twice, since its first answer was lost, is no stale one. */
async function sayWhyLost(tx: Transaction, lease: HeldLease, report: WorkReport): Promise<ReportOutcome> {
  const row = await tx.first(`SELECT * FROM conditions WHERE id = ?`, lease.conditionId);
  const why = row === undefined ? 'the condition is gone' : whyLost(readStored(row).condition, lease, tx.now);
  const isRepeated =
    row !== undefined && row.fencing_token === lease.token && row.state === report.state && row.state !== 'active';
  return isRepeated ? { outcome: 'kept', until: tx.now, cancel: undefined } : { outcome: 'lost', why };
}

/** Why a lease is not held any more, for people. */
export function whyLost(condition: Condition, lease: HeldLease, now: number): string {
  if (condition.fencingToken > lease.token) return `${condition.controller ?? 'another worker'} has it now`;
  if (isFinal(condition.state)) return `it has ${condition.state}: ${condition.reason?.message ?? 'no reason given'}`;
  if (condition.state === 'pending') return 'it waits for another worker';
  if (condition.fencingToken < lease.token) return 'there never was such a lease';
  return `it ended ${now - (condition.leaseUntil ?? now)} ms ago without progress`;
}

/**
 * Throws `leaseLost` when the lease is not held by the store's clock. How long the request that follows may reach the
 * device is stored with it, where the holder promised to say so; one read where nothing disruptive follows.
 */
export async function checkLease(
  context: EngineContext,
  lease: HeldLease,
  { requestMs }: CheckOptions = {},
): Promise<void> {
  const isHeld = (tx: Transaction) =>
    tx.first(`SELECT id FROM conditions WHERE ${heldLease}`, lease.conditionId, lease.token, tx.now);
  const look = async (tx: Transaction, find: typeof isHeld): Promise<string | undefined> => {
    if ((await find(tx)) !== undefined) return undefined;
    const row = await tx.first(`SELECT * FROM conditions WHERE id = ?`, lease.conditionId);
    return row === undefined ? 'the condition is gone' : whyLost(readStored(row).condition, lease, tx.now);
  };
  const problem =
    requestMs === 0
      ? await context.database.read((tx) => look(tx, isHeld))
      : await context.write((tx) => look(tx, () => noteRequest(tx, lease, requestMs)));
  if (problem === undefined) return;
  context.metrics.staleWrite('check');
  throw new EngineError('leaseLost', { id: lease.conditionId, detail: problem });
}

/** Nothing that people see of the condition changes, and so not its lock. */
async function noteRequest(tx: Transaction, lease: HeldLease, requestMs: number | undefined): Promise<Row | undefined> {
  const most = requestMs === undefined ? Number.MAX_SAFE_INTEGER - tx.now : Math.max(0, Math.trunc(requestMs));
  const until = `(? + CASE WHEN request_deadline_ms < ? THEN request_deadline_ms ELSE ? END)`;
  return await tx.first(
    `UPDATE conditions SET request_until = CASE WHEN request_until < ${until} THEN ${until} ELSE request_until END
      WHERE ${heldLease} RETURNING id`,
    ...[tx.now, most, most],
    ...[tx.now, most, most],
    lease.conditionId,
    lease.token,
    tx.now,
  );
}
