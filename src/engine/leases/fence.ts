import { numberOf, type StoredCondition, textOf } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { parseList } from '../json.ts';
import type { Row, Transaction } from '../store/database.ts';
import type { PreviousHolder } from '../worker/worker-port.ts';

/** Somebody who left a device without a clean end. */
export interface Leftover {
  readonly controller: string;
  readonly token: number;
  readonly sessionUri: string | null;
  /** The token of the fence when it was left: only who was leased after that was told of it. */
  readonly leftAtToken: number;
}

/** What is kept for a lock key, longer than any condition. */
export interface Fence {
  readonly lockKey: string;
  /** The last token given; it only grows. */
  readonly token: number;
  /** A request of a former holder may still be on its way until then. */
  readonly quietUntil: number;
  readonly leftovers: readonly Leftover[];
}

const mostLeftovers = 8;

/** What left a process may be on its way for so long after the process is gone: in buffers, and sent again by TCP. */
const arrivalMs = 10_000;

/**
 * Until when requests of a holder whose lease ended at `endedAt` may still reach the device. What has reached it and is
 * not over is for the next holder to find: the tasks and the inventory show it.
 */
export function quietAfter(stored: StoredCondition, endedAt: number): number {
  const { requestUntil, requestDeadlineMs } = stored;
  if (requestUntil === undefined) return endedAt + requestDeadlineMs;
  return Math.max(endedAt + Math.min(arrivalMs, requestDeadlineMs), requestUntil);
}

/** Reads a row of `fences`. */
export function readFence(row: Row): Fence {
  return {
    lockKey: textOf(row, 'lock_key'),
    token: numberOf(row, 'token'),
    quietUntil: numberOf(row, 'quiet_until'),
    leftovers: parseList<Leftover>(textOf(row, 'leftovers')),
  };
}

/** The fences of these lock keys, as far as there are any. */
export async function readFences(tx: Transaction, lockKeys: readonly string[]): Promise<Map<string, Fence>> {
  const keys = inList(lockKeys);
  const rows = await tx.all(`SELECT * FROM fences WHERE lock_key IN ${keys.sql}`, ...keys.values);
  return new Map(rows.map(readFence).map((one) => [one.lockKey, one]));
}

/** Gives the next token of each lock key, greater than any that the condition had, also under another lock key. */
export async function nextTokens(
  tx: Transaction,
  takers: readonly { readonly lockKey: string; readonly lastToken: number }[],
): Promise<void> {
  await tx.run(
    `INSERT INTO fences (lock_key, token, quiet_until, leftovers) VALUES ${takers.map(() => `(?, ?, 0, '[]')`).join(', ')}
     ON CONFLICT (lock_key) DO UPDATE SET
       token = CASE WHEN fences.token >= excluded.token THEN fences.token + 1 ELSE excluded.token END`,
    ...takers.flatMap((one) => [one.lockKey, one.lastToken + 1]),
  );
}

/** A holder left without a clean end: the device stays quiet until its last request must be over. */
export async function leaveBehind(tx: Transaction, stored: StoredCondition, quietUntil: number): Promise<void> {
  if (stored.sharing === 'passive') return;
  const { lockKey, controller, fencingToken } = stored.condition;
  const fence = (await readFences(tx, [lockKey])).get(lockKey);
  if (fence === undefined) return;
  const leftover: Leftover = {
    controller: controller ?? '',
    token: fencingToken,
    sessionUri: stored.sessionUri ?? null,
    leftAtToken: fence.token,
  };
  const leftovers = [...fence.leftovers, leftover].slice(-mostLeftovers);
  await tx.run(
    `UPDATE fences SET quiet_until = ?, leftovers = ? WHERE lock_key = ?`,
    Math.max(fence.quietUntil, quietUntil),
    JSON.stringify(leftovers),
    lockKey,
  );
}

/** A holder that was told of leftovers ended cleanly: it has dealt with them. */
export async function forgetLeftovers(tx: Transaction, stored: StoredCondition): Promise<void> {
  if (!stored.isToldLeftovers) return;
  const { lockKey, fencingToken } = stored.condition;
  const fence = (await readFences(tx, [lockKey])).get(lockKey);
  if (fence === undefined) return;
  const kept = fence.leftovers.filter((one) => one.leftAtToken >= fencingToken);
  await tx.run(`UPDATE fences SET leftovers = ? WHERE lock_key = ?`, JSON.stringify(kept), lockKey);
}

/**
 * A machine goes by another BMC from now on, maybe the same one under another name: what is still on its way to the old
 * one, and who left it without a clean end, is waited for and told there too, and its tokens go on from both.
 */
export async function carryFence(
  tx: Transaction,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const fences = await readFences(tx, [from, to]);
  const [old, own] = [fences.get(from), fences.get(to)];
  if (old === undefined) return;
  const token = Math.max(old.token, own?.token ?? 0);
  // Nobody who works there now was told of all of them.
  const all = [...(own?.leftovers ?? []), ...old.leftovers].map((one) => ({ ...one, leftAtToken: token }));
  const leftovers = [...new Map(all.map((one) => [`${one.token} ${one.controller}`, one])).values()];
  await tx.run(
    `INSERT INTO fences (lock_key, token, quiet_until, leftovers) VALUES (?, ?, ?, ?) ON CONFLICT (lock_key) DO UPDATE
       SET token = excluded.token, quiet_until = excluded.quiet_until, leftovers = excluded.leftovers`,
    to,
    token,
    Math.max(old.quietUntil, own?.quietUntil ?? 0),
    JSON.stringify(leftovers.slice(-mostLeftovers)),
  );
}

/** A leftover as a worker sees it. */
export function toPreviousHolder(leftover: Leftover): PreviousHolder {
  return {
    controller: leftover.controller,
    token: leftover.token,
    sessionUri: leftover.sessionUri ?? undefined,
  };
}
