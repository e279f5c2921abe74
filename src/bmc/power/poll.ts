import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError, type BmcErrorCode, isBmcError } from '../errors.ts';
import { passingCodes } from '../outage.ts';

/** How often something is looked at, and how long. */
export interface PollOptions<T> {
  /** What is waited for, for the error message. */
  readonly what: string;
  readonly deadlineMs: number;
  /** Looks once: a value ends the wait, undefined goes on. Errors that pass are taken as undefined. */
  readonly look: () => Promise<T | undefined>;
  /** What was seen last, for the error message. */
  readonly seen?: () => string;
  /** Errors besides the passing ones that end nothing. */
  readonly tolerated?: readonly BmcErrorCode[];
  readonly firstMs?: number;
  readonly mostMs?: number;
  /** The longest pause by what was seen last, where that tells how near the end is; `mostMs` where it is undefined. */
  readonly paceMs?: () => number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Looks again and again, ever more slowly, until there is something to see. Throws `deadline` or `cancelled`. */
export async function poll<T>(bmc: Bmc, options: PollOptions<T>): Promise<T> {
  const { origin } = bmc.gate;
  const started = bmc.clock.monotonic();
  const elapsed = () => bmc.clock.monotonic() - started;
  let last: BmcError | undefined;
  for (let round = 0; ; round += 1) {
    if (options.signal?.aborted) throw new BmcError('cancelled', { origin });
    try {
      const found = await options.look();
      if (found !== undefined) return found;
      last = undefined;
    } catch (error) {
      if (!isBmcError(error, ...passingCodes, ...(options.tolerated ?? []))) throw error;
      last = error;
    }
    const left = options.deadlineMs - elapsed();
    // Less than a millisecond may be too little to be added to the clock's time, which would then stand still.
    if (left < 1) {
      const detail = last?.message ?? options.seen?.() ?? 'it did not come to that';
      const more = last === undefined ? {} : { cause: last };
      throw new BmcError('deadline', { origin, what: options.what, ms: options.deadlineMs, detail }, more);
    }
    await sleep(bmc.clock, Math.min(left, pause(bmc, options, round)), options.signal);
  }
}

function pause(bmc: Bmc, options: PollOptions<unknown>, round: number): number {
  const grown = (options.firstMs ?? 1000) * 1.5 ** Math.min(round, 30);
  const ceiling = Math.min(options.paceMs?.() ?? options.mostMs ?? 10_000, grown);
  return ceiling * (0.75 + bmc.random() / 4);
}
