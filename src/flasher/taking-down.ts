import { type Bmc, powerIn, setPower, systemOf } from '../bmc/index.ts';

/** How a host is taken down. */
interface TakingDown {
  /** How long its system may take to shut down; undefined: its power is cut at once. */
  readonly gracePeriodMs?: number | undefined;
}

/** What is said of it, with the limit after which it is forced. */
export function takingDown(what: string, { gracePeriodMs }: TakingDown): string {
  if (gracePeriodMs === undefined) return what;
  return `${what}; its system is shut down first, and its power is cut if that takes longer than ${gracePeriodMs / 1000} s`;
}

const lookMs = 5000;

/**
 * Starts a host that goes off within the grace period: the worker that shut it down for a restart may have been lost before
 * it started it. One that still goes off after that time hangs, and its power is cut. A host that stays on was started, or
 * was never shut down.
 */
export async function startAfterShutdown(
  bmc: Bmc,
  { gracePeriodMs, pause, signal }: TakingDown & { pause(ms: number): Promise<void>; readonly signal: AbortSignal },
): Promise<void> {
  if (gracePeriodMs === undefined) return;
  const until = bmc.clock.monotonic() + gracePeriodMs;
  for (;;) {
    const { state, said } = powerIn((await systemOf(bmc)).body);
    const isLate = bmc.clock.monotonic() >= until;
    const hangs = isLate && said === 'PoweringOff';
    if (hangs) await setPower(bmc, { target: 'off', signal });
    if (hangs || state === 'off') {
      await setPower(bmc, { target: 'on', signal });
      return;
    }
    if (state !== 'changing' && isLate) return;
    await pause(lookMs);
  }
}
