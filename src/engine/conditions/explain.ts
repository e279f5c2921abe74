import type { Condition, ConditionReason } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import { readBudget } from '../leases/budget.ts';
import { readServedWork, type ServedWork } from '../leases/served-work.ts';
import type { Transaction } from '../store/database.ts';
import { numberOf, textOf } from './condition-row.ts';
import { inList } from './in-list.ts';

/** Why the last lease of what waits ended without an end of the work: nothing that keeps it waiting. */
export const leaseEndings: readonly string[] = ['LeaseExpired', 'WorkerLost', 'Released'];

/**
 * Adds why conditions that could be leased are not: limits and missing workers. Both change with every lease, so they
 * are found when somebody looks instead of being written to every row that waits.
 */
export async function explainWaiting(
  context: EngineContext,
  tx: Transaction,
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  const waiting = conditions.filter((one) => one.state === 'pending' && !isHeldBack(one));
  if (waiting.length === 0) return conditions;
  const budget = await readBudget(tx, context.limits(), context.kinds.activeLimits);
  const served = await readServedWork(tx);
  const more = await readPlaces(tx, waiting);
  const explain = (one: Condition): ConditionReason | undefined => {
    const since = one.updatedAt;
    if (!served.isServed(one.kind, one.facility)) {
      return { code: 'NoWorker', message: describeMissingWorker(one, served), since };
    }
    const place = more.get(one.id);
    const { modelKey = '', modelName } = place ?? {};
    const obstacle = budget.obstacle({ facility: one.facility, modelKey, modelName, kind: one.kind });
    if (obstacle !== undefined) return { code: 'LimitReached', message: obstacle, since };
    const { notBefore = 0 } = place ?? {};
    if (one.reason !== undefined) return describeResumption(one.reason, { notBefore, now: tx.now });
    if (notBefore <= tx.now) return undefined;
    const seconds = Math.ceil((notBefore - tx.now) / 1000);
    return { code: 'Quiet', message: `the device is left alone for ${seconds} s more`, since };
  };
  return conditions.map((one) => (waiting.includes(one) ? { ...one, reason: explain(one) } : one));
}

/** What was written as the reason stands, unless it only says how the last lease ended. */
function isHeldBack({ reason }: Condition): boolean {
  return reason !== undefined && !leaseEndings.includes(reason.code);
}

/** What people read first of a lost worker is when its work resumes. The time is read: it may have changed since. */
function describeResumption(
  reason: ConditionReason,
  { notBefore, now }: { readonly notBefore: number; readonly now: number },
): ConditionReason {
  const next = notBefore > now ? `resumes at ${new Date(notBefore).toISOString()}` : 'waits for a free worker';
  if (reason.code === 'WorkerLost') return { ...reason, message: `worker lost, ${next}: ${reason.message}` };
  return reason.code === 'LeaseExpired' ? { ...reason, message: `${reason.message}; ${next}` } : reason;
}

const mostFacilities = 5;

function describeMissingWorker({ kind, facility }: Condition, served: ServedWork): string {
  const elsewhere = served.facilitiesOf(kind);
  if (facility === '') return `no worker for ${kind} is online; start one`;
  const missing = `no worker for ${kind} is online in facility ${facility}`;
  if (elsewhere.length === 0) return `${missing}, nor in any other; start one with --facility ${facility}`;
  const more = elsewhere.length > mostFacilities ? ` and ${elsewhere.length - mostFacilities} more` : '';
  const where = `${elsewhere.slice(0, mostFacilities).join(', ')}${more}`;
  return `${missing}; workers are in ${where}: start one with --facility ${facility}, or correct the facility of the server`;
}

async function readPlaces(tx: Transaction, waiting: readonly Condition[]) {
  const ids = inList(waiting.map((one) => one.id));
  const rows = await tx.all(
    `SELECT c.id, c.model_key, c.sharing, c.not_before, f.quiet_until, m.manufacturer, m.model FROM conditions c
      LEFT JOIN machines m ON m.id = c.machine_id LEFT JOIN fences f ON f.lock_key = c.lock_key
      WHERE c.id IN ${ids.sql}`,
    ...ids.values,
  );
  return new Map(
    rows.map((row) => [
      textOf(row, 'id'),
      {
        modelKey: textOf(row, 'model_key'),
        modelName: `${textOf(row, 'manufacturer')} ${textOf(row, 'model')}`.trim(),
        notBefore: Math.max(
          numberOf(row, 'not_before'),
          row.sharing === 'passive' || row.quiet_until === null ? 0 : numberOf(row, 'quiet_until'),
        ),
      },
    ]),
  );
}
