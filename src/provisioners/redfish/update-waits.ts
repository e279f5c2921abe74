/** A change of power that waits for an update that the BMC of its host is at. Kept with the host: it outlives processes. */
export interface UpdateWait {
  /** When the update was first seen. */
  readonly since: number;
  /** When it was seen last, or a little earlier. */
  readonly seenAt: number;
}

/** Who did not look for so long has not waited: what is seen then may be another update. */
const gapMs = 30 * 60_000;

/** The wait once an update was seen; the same object while there is nothing new to keep. */
export function goOnWaiting(before: UpdateWait | undefined, now: number): UpdateWait {
  if (before === undefined || now - before.seenAt > gapMs) return { since: now, seenAt: now };
  return now - before.seenAt < gapMs / 6 ? before : { ...before, seenAt: now };
}
