import type { Condition } from '../condition.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { decideLine } from '../conditions/line.ts';
import { forUpdate, lockFreeFences } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import { readLines, type SeenInLine, settleLine } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../store/database.ts';
import type { Lease, PreviousHolder, WorkerIdentity } from '../worker/worker-port.ts';
import { type Budget, hasLimits, readBudget } from './budget.ts';
import type { Candidate } from './candidates.ts';
import { type Fence, nextTokens, readFence, readFences, toPreviousHolder } from './fence.ts';

/** A candidate that may be leased; a condition that moved to another lock key may have had a greater token there. */
type Taken = Candidate & { readonly lastToken: number };

/** A claim: who wants how many of which. */
export interface Claim {
  readonly worker: WorkerIdentity;
  readonly candidates: readonly Candidate[];
  readonly max: number;
}

/**
 * Leases those of the candidates that can still be leased: everything is looked at again in this transaction. At most
 * one of a lock key, so that each is judged by a line that does not change meanwhile.
 */
export async function claimCandidates(
  context: EngineContext,
  tx: Transaction,
  claim: Claim,
): Promise<readonly Lease[]> {
  const { candidates } = claim;
  const holder = await readHolder(tx, claim.worker);
  // It was lost, or left, while it asked.
  if (holder === undefined) return [];
  const { fences, isOurs } = await lockFences(context, tx, candidates);
  const open = candidates.filter((one) => isOurs(one.lockKey));
  const onePerKey = [...new Map(open.toReversed().map((one) => [one.lockKey, one])).values()].toReversed();
  if (onePerKey.length === 0) return [];
  const lines = await readLines(
    tx,
    onePerKey.map((one) => one.lockKey),
  );
  const budget = await lockBudget(context, tx);
  const taken: Taken[] = [];
  const quiet: { readonly id: string; readonly until: number }[] = [];
  for (const one of onePerKey) {
    if (taken.length >= claim.max) break;
    const line = lines.get(one.lockKey) ?? [];
    const place = line.find((each) => each.id === one.id);
    // It may have followed its machine out of the worker's facility.
    if (place === undefined || place.facility !== one.facility || !(await isFree(tx, one, line))) continue;
    const quietUntil = place.sharing === 'passive' ? 0 : (fences.get(one.lockKey)?.quietUntil ?? 0);
    if (quietUntil > tx.now) quiet.push({ id: one.id, until: quietUntil });
    else if (budget.take(one)) taken.push({ ...one, lastToken: place.fencingToken });
  }
  for (const one of quiet) await tx.run(`UPDATE conditions SET not_before = ? WHERE id = ?`, one.until, one.id);
  return await lease(context, tx, { holder, taken, fences });
}

/** Who leases, and how long it may be silent; undefined where that is not limited. */
interface Holder {
  readonly id: string;
  readonly lostAfterMs: number | undefined;
}

async function readHolder(tx: Transaction, { id }: WorkerIdentity): Promise<Holder | undefined> {
  // One that is not fenced by heartbeats shows by asking that it is there.
  const query = `SELECT lost_after_ms FROM controllers WHERE id = ? AND (is_online = 1 OR lost_after_ms IS NULL)`;
  const row = await tx.first(query, id);
  if (row === undefined) return undefined;
  return { id, lostAfterMs: typeof row.lost_after_ms === 'number' ? row.lost_after_ms : undefined };
}

/** Locks the lines of the candidates. Those that another process is changing are left to it. */
async function lockFences(
  context: EngineContext,
  tx: Transaction,
  candidates: readonly Candidate[],
): Promise<{ readonly fences: ReadonlyMap<string, Fence>; isOurs(lockKey: string): boolean }> {
  const keys = [...new Set(candidates.map((one) => one.lockKey))];
  const rows = await lockFreeFences(context, tx, keys);
  const fences = new Map(rows.map(readFence).map((one) => [one.lockKey, one]));
  // Where others write too, every line has a fence from its first condition on.
  return { fences, isOurs: (key) => context.database.dialect === 'sqlite' || fences.has(key) };
}

/** The room that is left. With limits, one process at a time uses it up; what ends meanwhile only makes more of it. */
async function lockBudget(context: EngineContext, tx: Transaction): Promise<Budget> {
  const limits = context.limits();
  const { activeLimits } = context.kinds;
  const lock = forUpdate(context);
  if (hasLimits(limits, activeLimits) && lock !== '')
    await tx.first(`SELECT name FROM engine_facts WHERE name = 'limits'${lock}`);
  return await readBudget(tx, limits, activeLimits);
}

/** Whether the line lets it go on. A line that says otherwise than what was written of it is settled anew. */
async function isFree(tx: Transaction, candidate: Candidate, line: readonly SeenInLine[]): Promise<boolean> {
  const standing = decideLine(line).find((one) => one.id === candidate.id);
  if (standing === undefined) return false;
  if (!standing.isReady) await settleLine(tx, line);
  return standing.isReady;
}

async function lease(
  context: EngineContext,
  tx: Transaction,
  granted: {
    readonly holder: Holder;
    readonly taken: readonly Taken[];
    readonly fences: ReadonlyMap<string, Fence>;
  },
): Promise<readonly Lease[]> {
  const { holder, taken, fences } = granted;
  if (taken.length === 0) return [];
  await nextTokens(tx, taken);
  const leases: StoredLease[] = [];
  for (const [kind, group] of Map.groupBy(taken, (one) => one.kind)) {
    for (const stored of await activate(context, tx, { holder, kind, group })) {
      leases.push(toLease(stored, { holder, fence: fences.get(stored.condition.lockKey) }));
    }
  }
  await markTold(tx, leases);
  const told = leases.map((one) => ({ event: 'leased', about: one.stored, detail: leasedDetail(one) }));
  await writeEvents(context, tx, told);
  return leases.map(({ stored: _, ...one }) => one);
}

type StoredLease = Lease & { readonly stored: StoredCondition };

async function activate(
  context: EngineContext,
  tx: Transaction,
  group: { readonly holder: Holder; readonly kind: string; readonly group: readonly Candidate[] },
): Promise<readonly StoredCondition[]> {
  const { leaseMs, requestDeadlineMs } = context.kinds.find(group.kind);
  const ids = inList(group.group.map((one) => one.id));
  const rows = await tx.all(
    `UPDATE conditions SET state = 'active', controller = ?, rev = rev + 1, leases = leases + 1, is_ready = 0,
       fencing_token = (SELECT token FROM fences WHERE fences.lock_key = conditions.lock_key),
       lease_until = ?, lease_ms = ?, request_deadline_ms = ?, request_until = ?, session_uri = NULL, is_told_leftovers = 0,
       reason_code = NULL, reason_message = NULL, reason_since = NULL, updated_at = ?
     WHERE id IN ${ids.sql} AND state = 'pending' RETURNING *`,
    group.holder.id,
    tx.now + leaseMs,
    leaseMs,
    requestDeadlineMs,
    group.holder.lostAfterMs === undefined ? null : 0,
    tx.now,
    ...ids.values,
  );
  return rows.map(readStored);
}

function toLease(
  stored: StoredCondition,
  { holder, fence }: { readonly holder: Holder; readonly fence: Fence | undefined },
): StoredLease {
  const leftovers = stored.sharing === 'passive' ? [] : (fence?.leftovers ?? []).map(toPreviousHolder);
  const own = stored.previous === undefined ? undefined : (JSON.parse(stored.previous) as PreviousHolder);
  return {
    stored,
    condition: stored.condition,
    token: stored.condition.fencingToken,
    until: stored.condition.leaseUntil ?? 0,
    leaseMs: stored.leaseMs,
    ...(holder.lostAfterMs === undefined ? {} : { lostAfterMs: holder.lostAfterMs }),
    isCancelUnsafe: stored.condition.isCancelUnsafe,
    previous: own ?? leftovers.at(-1),
    leftovers,
  };
}

/**
 * What a claim without an answer has leased, if it was stored: candidates were pending before it, and a worker claims
 * once at a time. A claim that is still being stored is waited for.
 */
export async function findClaimed(context: EngineContext, tx: Transaction, claim: Claim): Promise<readonly Lease[]> {
  const holder = await readHolder(tx, claim.worker);
  if (holder === undefined) return [];
  const ids = inList(claim.candidates.map((one) => one.id));
  const rows = await tx.all(`SELECT * FROM conditions WHERE id IN ${ids.sql}${forUpdate(context)}`, ...ids.values);
  const ours = rows.map(readStored).filter(({ condition }) => isHeldBy(condition, claim.worker.id));
  const fences = await readFences(
    tx,
    ours.map((one) => one.condition.lockKey),
  );
  const leases = ours.map((one) => toLease(one, { holder, fence: fences.get(one.condition.lockKey) }));
  return leases.map(({ stored: _, ...one }) => one);
}

function isHeldBy({ state, controller }: Condition, workerId: string): boolean {
  return state === 'active' && controller === workerId;
}

async function markTold(tx: Transaction, leases: readonly StoredLease[]): Promise<void> {
  const told = leases.filter((one) => one.leftovers.length > 0).map((one) => one.condition.id);
  if (told.length === 0) return;
  const ids = inList(told);
  await tx.run(`UPDATE conditions SET is_told_leftovers = 1 WHERE id IN ${ids.sql}`, ...ids.values);
}

function leasedDetail({ condition, token, previous }: StoredLease) {
  return {
    controller: condition.controller ?? null,
    token,
    leases: condition.leases,
    from: previous?.controller ?? null,
  };
}
