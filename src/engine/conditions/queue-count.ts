import type { Clock } from '../../kube/index.ts';
import type { EngineContext } from '../context.ts';
import type { EngineLimits } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { KindDefinition } from '../kinds.ts';
import { readServedWork, type ServedWork } from '../leases/served-work.ts';
import type { Row, Transaction } from '../store/database.ts';
import { numberOf, textOf } from './condition-row.ts';
import { leaseEndings } from './explain.ts';
import { inList } from './in-list.ts';
import { forUpdate } from './lock-lines.ts';

/** Conditions that are about to be stored together. */
export interface QueueRequest {
  /** In the order in which they run: whether they are blocked goes by the first. */
  readonly kinds: readonly KindDefinition[];
  readonly facility: string;
  /** Why the machine's owner keeps them waiting, if it does. */
  readonly holdCode: string | undefined;
}

/**
 * How many conditions wait, without counting 20,000 rows for each that comes. What could run and what is blocked (no worker
 * for it is online, or the host is in use) are counted apart, so that neither takes the room of the other.
 */
export interface QueueCount {
  /** Throws `queueFull`, `kindQueueFull` or `blockedQueueFull` when there is no room for all of these. */
  admit(tx: Transaction, request: QueueRequest): Promise<void>;
}

const trustedForMs = 1000;

/** Reasons that pass without anybody's doing; what waits with another one is held by the owner of its machine. */
const passingReasons = ['WaitsForLock', 'WaitsForUnit', 'WaitsForTurn', ...leaseEndings];

interface Counts {
  readonly runnable: number;
  readonly blocked: number;
}

type QueueOptions = Pick<EngineContext, 'database'> & { readonly clock: Clock; limits(): EngineLimits };

/**
 * Trusts its last count for a second while the limit is far away, and counts for each order once it is near. Several
 * processes may overshoot only by what they store between two counts.
 */
export function createQueueCount(options: QueueOptions): QueueCount {
  let counted: Counts = { runnable: 0, blocked: 0 };
  let countedAt = Number.NEGATIVE_INFINITY;
  return {
    async admit(tx, { kinds, facility, holdCode }) {
      const limit = options.limits().pending;
      const isKindLimited = kinds.some(({ limits }) => (limits?.pending ?? 0) > 0);
      if (limit <= 0 && !isKindLimited) return;
      const served = await readServedWork(tx);
      const [first] = kinds;
      const isBlocked = isHeld(holdCode) || (first !== undefined && !served.isServed(first.kind, facility));
      if (!isBlocked) for (const one of kinds) await admitKind(options, tx, { definition: one, served });
      if (limit <= 0) return;
      const [name, more] = [isBlocked ? ('blocked' as const) : ('runnable' as const), kinds.length];
      const isNear = counted[name] + more > limit - Math.max(1000, limit * 0.1);
      if (isNear || options.clock.monotonic() - countedAt > trustedForMs) {
        counted = await countPending(tx, served);
        countedAt = options.clock.monotonic();
      }
      const pending = counted[name];
      if (pending + more > limit)
        throw new EngineError(isBlocked ? 'blockedQueueFull' : 'queueFull', { pending, limit });
      counted = { ...counted, [name]: pending + more };
    },
  };
}

function isHeld(reason: string | undefined): boolean {
  return reason !== undefined && !passingReasons.includes(reason);
}

async function countPending(tx: Transaction, served: ServedWork): Promise<Counts> {
  const rows = await tx.all(
    `SELECT facility, kind, reason_code, count(*) AS n FROM conditions WHERE state = 'pending'
      GROUP BY facility, kind, reason_code`,
  );
  const all = rows.reduce((sum, row) => sum + numberOf(row, 'n'), 0);
  const blocked = rows
    .filter(
      (row) => isHeld(row.reason_code === null ? undefined : textOf(row, 'reason_code')) || !isServedRow(row, served),
    )
    .reduce((sum, row) => sum + numberOf(row, 'n'), 0);
  return { runnable: all - blocked, blocked };
}

function isServedRow(row: Row, served: ServedWork): boolean {
  return served.isServed(textOf(row, 'kind'), textOf(row, 'facility'));
}

/** A kind's own limit is counted anew for each order, one order at a time: whoever sets one wants it held. */
async function admitKind(
  context: Pick<EngineContext, 'database'>,
  tx: Transaction,
  { definition, served }: { readonly definition: KindDefinition; readonly served: ServedWork },
): Promise<void> {
  const { kind, limits } = definition;
  const limit = limits?.pending ?? 0;
  if (limit <= 0) return;
  await tx.first(`SELECT name FROM engine_facts WHERE name = 'limits'${forUpdate(context)}`);
  const passing = inList(passingReasons);
  const rows = await tx.all(
    `SELECT facility, count(*) AS n FROM conditions WHERE state = 'pending' AND kind = ?
      AND (reason_code IS NULL OR reason_code IN ${passing.sql}) GROUP BY facility`,
    kind,
    ...passing.values,
  );
  const pending = rows
    .filter((row) => served.isServed(kind, textOf(row, 'facility')))
    .reduce((sum, row) => sum + numberOf(row, 'n'), 0);
  if (pending >= limit) throw new EngineError('kindQueueFull', { kind, pending, limit });
}
