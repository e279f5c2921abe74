import { sleep } from '../../kube/index.ts';
import { numberOf } from '../conditions/condition-row.ts';
import type { EngineContext } from '../context.ts';
import { EngineError } from '../errors.ts';
import { type Row, type Transaction, UniqueViolation } from '../store/database.ts';
import { checkLease, type HeldLease, heldLease } from './report.ts';

/** Slots that limit how many do something at once, over all processes. */
export interface Slots {
  /** Resolves with the way to give the slot back. Throws `leaseLost`, or `aborted` when the signal aborts. */
  acquire(name: 'upload', lease: HeldLease, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** How often the first in line looks for a slot that another process gave back. */
const lookMs = 1000;

interface Waiting {
  readonly wake: () => void;
}

/**
 * Makes the slots of one engine. A slot is a numbered row that names the lease of its holder: it counts only while
 * that lease is held, so a dead holder's slot is free again when its lease ends. Only the first in line of a process
 * asks the store.
 */
export function createSlots(context: EngineContext): Slots {
  const line: Waiting[] = [];
  const wakeFirst = (): void => line[0]?.wake();

  const release = async (lease: HeldLease, name: string): Promise<void> => {
    await context.write((tx) =>
      tx.run(
        `DELETE FROM slots WHERE name = ? AND condition_id = ? AND token = ?`,
        name,
        lease.conditionId,
        lease.token,
      ),
    );
    wakeFirst();
  };

  const waitInLine = async (lease: HeldLease, name: string, signal: AbortSignal): Promise<void> => {
    let woken = new AbortController();
    const me: Waiting = { wake: () => woken.abort() };
    line.push(me);
    try {
      for (;;) {
        if (signal.aborted) throw new EngineError('aborted', { what: `waiting for a slot for ${name}` });
        woken = new AbortController();
        // Who stands in line is alive: its standing there renews the lease, and a lost one ends the wait.
        const leaseMs = await renew(context, lease);
        if (line[0] === me && (await tryTake(context, lease, name))) return;
        const ms = line[0] === me ? Math.min(lookMs, leaseMs / 3) : leaseMs / 3;
        await sleep(context.clock, ms, AbortSignal.any([woken.signal, signal]));
      }
    } finally {
      line.splice(line.indexOf(me), 1);
      wakeFirst();
    }
  };

  return {
    async acquire(name, lease, signal) {
      if (context.limits().uploads <= 0) {
        await checkLease(context, lease, { requestMs: 0 });
        return async () => {};
      }
      await waitInLine(lease, name, signal);
      return () => release(lease, name);
    },
  };
}

async function renew(context: EngineContext, lease: HeldLease): Promise<number> {
  const row = await context.write((tx) =>
    tx.first(
      `UPDATE conditions SET lease_until = ? + lease_ms WHERE ${heldLease} RETURNING lease_ms`,
      tx.now,
      lease.conditionId,
      lease.token,
      tx.now,
    ),
  );
  if (row !== undefined) return numberOf(row, 'lease_ms');
  throw new EngineError('leaseLost', { id: lease.conditionId, detail: 'it ended while it waited for a slot' });
}

async function tryTake(context: EngineContext, lease: HeldLease, name: string): Promise<boolean> {
  try {
    return await context.write((tx) => takeSlot(tx, { lease, name, limit: context.limits().uploads }));
  } catch (error) {
    // Another process took the same number; it is looked for again soon.
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}

async function takeSlot(
  tx: Transaction,
  asked: { readonly lease: HeldLease; readonly name: string; readonly limit: number },
): Promise<boolean> {
  const { lease, name, limit } = asked;
  const rows = await tx.all(
    `SELECT s.number, s.condition_id, s.token,
            CASE WHEN c.state = 'active' AND c.fencing_token = s.token AND c.lease_until > ? THEN 1 ELSE 0 END AS is_live
       FROM slots s LEFT JOIN conditions c ON c.id = s.condition_id WHERE s.name = ?`,
    tx.now,
    name,
  );
  if (rows.some((row) => isOf(row, lease))) return true;
  const live = rows.filter((row) => numberOf(row, 'is_live') === 1);
  if (limit > 0 && live.length >= limit) return false;
  const used = new Set(live.map((row) => numberOf(row, 'number')));
  let number = 0;
  while (used.has(number)) number += 1;
  const left = rows.find((row) => numberOf(row, 'number') === number);
  if (left !== undefined) {
    // Only the one that was seen: another process may have taken the number over meanwhile.
    await tx.run(
      `DELETE FROM slots WHERE name = ? AND number = ? AND condition_id = ? AND token = ?`,
      ...[name, number, left.condition_id ?? '', left.token ?? 0],
    );
  }
  await tx.run(
    `INSERT INTO slots (name, number, condition_id, token) VALUES (?, ?, ?, ?)`,
    name,
    number,
    lease.conditionId,
    lease.token,
  );
  return true;
}

function isOf(row: Row, lease: HeldLease): boolean {
  return row.condition_id === lease.conditionId && row.token === lease.token;
}
