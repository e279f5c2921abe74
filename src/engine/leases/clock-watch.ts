import type { EngineContext } from '../context.ts';
import type { Transaction } from '../store/database.ts';

/** One look at both clocks: the store's, and this process's own before and after it was asked. */
export interface ClockLook {
  readonly now: number;
  readonly before: number;
  readonly after: number;
}

/** How the store's clock went against our own since the look before: `ahead` and `back` are leaps. */
export type ClockLeap = 'none' | 'ahead' | 'back';

/** Clocks that are set by a little now and then are no news. */
const toleranceMs = 1000;

/** The longest that work is put off when it is given back. */
export const longestPauseMs = 86_400_000;

/**
 * Tells a leap from the passing of time. Our own clock never leaps, and how long an answer took is allowed for, so a
 * process that was stopped or slow sees none; one on a machine that slept sees the store's clock leap ahead.
 */
export function decideLeap(last: ClockLook, look: ClockLook): ClockLeap {
  const passed = look.now - last.now;
  if (passed > look.after - last.before + toleranceMs) return 'ahead';
  return passed < look.before - last.after - toleranceMs ? 'back' : 'none';
}

/** Watches the store's clock, by which leases end, and mends what a leap would break. */
export interface ClockWatch {
  /** Takes a look and mends what it shows; true if there was something to mend. */
  mind(look: ClockLook): Promise<boolean>;
}

/** Makes the watch of one engine. Several processes may mend the same leap: doing it twice changes nothing more. */
export function createClockWatch(context: Omit<EngineContext, 'clockWatch'>): ClockWatch {
  let last: ClockLook | undefined;
  return {
    async mind(look) {
      const before = last;
      // The clock may have been set back while no process ran.
      const leap = before === undefined ? 'back' : decideLeap(before, look);
      if (leap !== 'none') {
        if (before !== undefined) context.logger.warn('the clock of the store leapt', { leap, now: look.now });
        const mend = leap === 'ahead' ? startAnew : pullIn;
        await context.write((tx) => mend(context, tx, before?.now ?? 0));
      }
      // Only what was mended is not looked at again. Looks that overlap may arrive in another order.
      if (last === undefined || look.before >= last.before) last = look;
      return leap !== 'none';
    },
  };
}

/**
 * Leases would end, and devices count as quiet, before the time is over that their holders count on. So both begin
 * anew: that costs time, and an early end could cost a device.
 */
async function startAnew({ kinds }: Pick<EngineContext, 'kinds'>, tx: Transaction, lastNow: number): Promise<void> {
  const quietMs = Math.max(0, ...kinds.all.map((one) => one.requestDeadlineMs));
  await tx.run(
    `UPDATE conditions SET lease_until = ? + lease_ms WHERE state = 'active' AND lease_until < ? + lease_ms`,
    tx.now,
    tx.now,
  );
  await tx.run(
    `UPDATE fences SET quiet_until = ? WHERE quiet_until > ? AND quiet_until < ?`,
    tx.now + quietMs,
    lastNow,
    tx.now + quietMs,
  );
  await tx.run(
    `UPDATE conditions SET request_until = ? + request_deadline_ms WHERE state = 'active' AND request_until > ?`,
    tx.now,
    lastNow,
  );
  await tx.run(`UPDATE controllers SET seen_at = ? WHERE is_online = 1 AND seen_at < ?`, tx.now, tx.now);
}

/** What was to end soon would end only when the clock is there again: nothing ends later than it could have begun now. */
async function pullIn({ kinds }: Pick<EngineContext, 'kinds'>, tx: Transaction): Promise<void> {
  const quietMs = Math.max(0, ...kinds.all.map((one) => one.leaseMs + one.requestDeadlineMs));
  const { now } = tx;
  await tx.run(
    `UPDATE conditions SET lease_until = ? + lease_ms WHERE state = 'active' AND lease_until > ? + lease_ms`,
    now,
    now,
  );
  await tx.run(`UPDATE fences SET quiet_until = ? WHERE quiet_until > ?`, now + quietMs, now + quietMs);
  await tx.run(
    `UPDATE conditions SET request_until = ? + request_deadline_ms
      WHERE state = 'active' AND request_until > ? + request_deadline_ms`,
    now,
    now,
  );
  // Given back later than now, by the clock as it was: the pause that was asked for begins now.
  await tx.run(
    `UPDATE conditions SET not_before = ? + not_before - reason_since, reason_since = ?
      WHERE state = 'pending' AND reason_code = 'Released' AND reason_since > ? AND not_before > reason_since`,
    now,
    now,
    now,
  );
  await tx.run(
    `UPDATE conditions SET not_before = ?
      WHERE state = 'pending' AND not_before > ? AND (reason_code IS NULL OR reason_code <> 'Released')`,
    now + quietMs,
    now + quietMs,
  );
  await tx.run(`UPDATE controllers SET seen_at = ? WHERE seen_at > ?`, now, now);
}
