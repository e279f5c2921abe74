import type { Bmc } from './bmc.ts';
import { connectOver } from './connect.ts';
import { BmcError, isBmcError } from './errors.ts';
import type { GateLane } from './gate/gate.ts';

/** How long something may take, with all retries and pauses of the gate. */
export interface TimeLimit {
  readonly withinMs: number;
  /** What is asked for, for the error message. */
  readonly what: string;
}

/**
 * Reads something from a BMC that must not take long. Where it does, throws what the BMC answered last, `busy` where it
 * asked for a pause, or else `timeout`.
 */
export async function inTime<T>(bmc: Bmc, { withinMs, what }: TimeLimit, work: (bmc: Bmc) => Promise<T>): Promise<T> {
  const { gate, clock, random, systemPath } = bmc;
  const tooLong = new AbortController();
  const timer = clock.after(withinMs, () => tooLong.abort());
  const options = { gate: withSignal(gate, tooLong.signal), clock, random };
  try {
    return await work(connectOver(systemPath === undefined ? options : { ...options, systemPath }));
  } catch (error) {
    if (!tooLong.signal.aborted) throw error;
    throw tooLate(gate, { withinMs, what }, error);
  } finally {
    timer.cancel();
  }
}

/** The gate with every request ended by a signal. */
function withSignal(gate: GateLane, signal: AbortSignal): GateLane {
  return {
    origin: gate.origin,
    endpoint: gate.endpoint,
    get sessionUri() {
      return gate.sessionUri;
    },
    get state() {
      return gate.state;
    },
    request: (request) => gate.request({ ...request, signal }),
    openEventStream: (path, ends, headers) => gate.openEventStream(path, AbortSignal.any([ends, signal]), headers),
    expectOutage: () => gate.expectOutage(),
    logOut: () => gate.logOut(),
  };
}

/** The last failure of the request that was ended, else whether the BMC asked for a pause: only then silence. */
function tooLate({ origin, state }: GateLane, { withinMs, what }: TimeLimit, cause: unknown): BmcError {
  if (isBmcError(cause, 'cancelled') && isBmcError(cause.cause)) return cause.cause;
  if (state.mode === 'open') {
    return new BmcError('timeout', { origin, method: 'GET', path: what, ms: withinMs }, { cause });
  }
  const detail = `${state.reason}; ${what} could not be read within ${withinMs} ms`;
  return new BmcError('busy', { origin, detail }, { cause });
}
