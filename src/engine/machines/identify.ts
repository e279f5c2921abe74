import type { BmcIdentity } from '../../bmc/index.ts';
import { lockClaims } from '../claims/fit-claim.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { type Aftermath, joinAftermaths, noAftermath, tellAftermath } from '../conditions/finalize.ts';
import { decideLine } from '../conditions/line.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import { readLines, settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import { readFences } from '../leases/fence.ts';
import { handBack } from '../leases/give-up.ts';
import { type HeldLease, heldLease } from '../leases/report.ts';
import type { Transaction } from '../store/database.ts';
import { describeIdentity, learnIdentity } from './bmc-identity.ts';
import { findDuplicates, writeIdentity } from './lock-group.ts';
import { lockKeyOf, targetOf } from './machine-row.ts';
import { planRegrouping, type Regrouping, regroup } from './regroup.ts';
import { readStoredMachine, type StoredMachine } from './shared-bmc.ts';

/** How long work waits before it asks again, where others work under two locks that have to become one. */
const againMs = 30_000;

/**
 * Takes what the BMC of leased work says of itself. Machines that have it in common share a lock from then on. Work that
 * this brings behind other work is given back and waits there: the answer is why. Undefined where the work may go on.
 */
export async function identifyBmc(
  context: EngineContext,
  lease: HeldLease,
  told: BmcIdentity,
): Promise<string | undefined> {
  if (await context.database.read((tx) => isKnown(tx, lease, told))) return undefined;
  const { why, aftermath } = await context.write((tx) => identifyIn(context, tx, { lease, told }));
  tellAftermath(context, aftermath);
  return why;
}

/** Nothing else is read for what every lease begins with: whoever learnt it first has joined the locks. */
async function isKnown(tx: Transaction, lease: HeldLease, told: BmcIdentity): Promise<boolean> {
  const machine = await machineOf(tx, lease);
  if (machine === undefined) return true;
  const { identity } = machine;
  return identity !== undefined && isEqual(identity, learnIdentity(identity, told));
}

function isEqual(one: BmcIdentity, other: BmcIdentity): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function machineOf(tx: Transaction, { conditionId }: HeldLease): Promise<StoredMachine | undefined> {
  const query = `SELECT m.* FROM conditions c JOIN machines m ON m.id = c.machine_id WHERE c.id = ?`;
  const row = await tx.first(query, conditionId);
  return row === undefined ? undefined : readStoredMachine(row);
}

interface Identified {
  /** Why the work has to wait. */
  readonly why: string | undefined;
  readonly aftermath: Aftermath;
}

async function identifyIn(
  context: EngineContext,
  tx: Transaction,
  { lease, told }: { readonly lease: HeldLease; readonly told: BmcIdentity },
): Promise<Identified> {
  await lockClaims(context, tx);
  const known = await machineOf(tx, lease);
  if (known === undefined) return { why: undefined, aftermath: noAftermath };
  const machine = { ...known, identity: learnIdentity(known.identity, told) };
  const plan = await planRegrouping(context, tx, { machine, own: lease.conditionId });
  const row = await tx.first(
    `SELECT * FROM conditions WHERE ${heldLease}${forUpdate(context)}`,
    ...[lease.conditionId, lease.token, tx.now],
  );
  // The report that brings this says why the lease is lost.
  if (row === undefined) return { why: undefined, aftermath: noAftermath };
  const own = readStored(row);
  if (plan === undefined) {
    const why = `the BMC is the one of other machines too (${describeIdentity(told)}), and work goes on under several of their locks`;
    return { why, aftermath: await wait(context, tx, { own, why, notBefore: tx.now + againMs }) };
  }
  const waiting = await whyWait(tx, { own, plan });
  const given = waiting === undefined ? noAftermath : await wait(context, tx, { own, ...waiting });
  await regroup(tx, plan);
  await writeIdentity(tx, machine.id, machine.identity);
  await tellDuplicates(context, tx, { machine, before: known.identity });
  const ready = await settleKeys(tx, plan.keys);
  return { why: waiting?.why, aftermath: joinAftermaths([given, { ended: [], ready }]) };
}

interface Waiting {
  readonly why: string;
  readonly notBefore: number;
}

/** Why work may not go on under the lock that its machine is to have. */
async function whyWait(
  tx: Transaction,
  { own, plan }: { readonly own: StoredCondition; readonly plan: Regrouping },
): Promise<Waiting | undefined> {
  const { condition, sharing } = own;
  const keyOf = (machine: StoredMachine): string => lockKeyOf(targetOf(machine.id), machine);
  const others = plan.group.filter((machine) => keyOf(machine) !== condition.lockKey);
  if (others.length === 0 || sharing === 'passive') return undefined;
  const names = others.map(({ id }) => targetOf(id)).join(', ');
  const same = `${condition.target} has the same BMC as ${names}`;
  const fences = await readFences(tx, [...new Set(others.map(keyOf))]);
  const quietUntil = Math.max(...[...fences.values()].map((fence) => fence.quietUntil), 0);
  const isLeft = [...fences.values()].some((fence) => fence.leftovers.length > 0);
  const ids = new Set(plan.open.map((one) => one.condition.id));
  const line = [...(await readLines(tx, plan.keys)).values()].flat().filter(({ id }) => ids.has(id));
  const waiting = line.map((one) =>
    one.id === condition.id ? { ...one, isActive: false, isBegun: sharing === 'exclusive' } : one,
  );
  const isReady = decideLine(waiting).find(({ id }) => id === condition.id)?.isReady === true;
  if (!isReady) return { why: `${same}, and waits for the work there`, notBefore: 0 };
  if (quietUntil > tx.now)
    return { why: `${same}, where the last request of a lost worker may not be over`, notBefore: quietUntil };
  return isLeft ? { why: `${same}, where a lost worker left a session`, notBefore: 0 } : undefined;
}

async function wait(
  context: EngineContext,
  tx: Transaction,
  { own, why, notBefore }: Waiting & { readonly own: StoredCondition },
): Promise<Aftermath> {
  return await handBack(context, tx, { stored: own, reason: { code: 'SharesBmc', message: why }, notBefore });
}

/** Says once that two records are one machine, on both. */
async function tellDuplicates(
  context: EngineContext,
  tx: Transaction,
  {
    machine,
    before,
  }: { readonly machine: StoredMachine & { readonly identity: BmcIdentity }; readonly before: BmcIdentity | undefined },
): Promise<void> {
  if (before !== undefined && isEqual(before, machine.identity)) return;
  const duplicates = (await findDuplicates(tx, [machine.id])).get(machine.id) ?? [];
  if (duplicates.length === 0) return;
  const all = [machine.id, ...duplicates];
  context.logger.warn('several records are one machine; their work shares a lock', { machines: all.join(', ') });
  await writeEvents(
    context,
    tx,
    all.map((id) => ({
      event: 'duplicate-machine',
      target: targetOf(id),
      detail: { duplicates: all.filter((each) => each !== id), found: describeIdentity(machine.identity) },
    })),
  );
}
