import { HttpFailure } from '../http/http-failure.ts';
import type { Caller } from './caller.ts';
import type { Pass } from './session-keeper.ts';
import type { Shared } from './shared.ts';
import { type Wire, wireHeaders } from './wire.ts';

/** Sessions that are still to be ended. */
export interface Leftovers {
  readonly count: number;
  add(pass: Pass): void;
  /** Ends what can be ended: with the pass, where there is one, else with each session's own token. Never throws. */
  flush(caller: Caller, pass: Pass | undefined): Promise<void>;
}

interface Leftover {
  readonly uri: string;
  readonly token: string;
  tries: number;
}

const maxKept = 16;
const maxTries = 6;

/** Makes an empty list of sessions to end. */
export function createLeftovers(options: {
  readonly origin: string;
  readonly shared: Shared;
  readonly wire: Wire;
}): Leftovers {
  const { origin, shared, wire } = options;
  let kept: Leftover[] = [];

  const end = async (leftover: Leftover, caller: Caller, pass: Pass | undefined): Promise<boolean> => {
    const headers = wireHeaders({ isIdentity: true });
    headers.push(pass?.header ?? 'x-auth-token', pass?.value ?? leftover.token);
    const deadlineMs = Math.min(shared.settings.deadlineMs, shared.settings.connectMs);
    try {
      const request = { method: 'DELETE', path: leftover.uri, headers, deadlineMs, signal: caller.signal };
      const { status } = await wire.send(request, caller.endpoint.trust);
      // Refused with its own token: the BMC does not know it any more.
      return status < 300 || status === 404 || status === 410 || (status === 401 && pass === undefined);
    } catch (error) {
      if (error instanceof HttpFailure) return false;
      throw error;
    }
  };

  return {
    get count() {
      return kept.length;
    },
    add(pass) {
      if (pass.uri === undefined) return;
      kept = [...kept, { uri: pass.uri, token: pass.value, tries: 0 }].slice(-maxKept);
    },
    async flush(caller, pass) {
      // The newest is the one that is surely still open; older ones have often expired.
      for (const leftover of kept.toReversed()) {
        leftover.tries += 1;
        const isEnded = await end(leftover, caller, pass);
        if (isEnded) shared.metrics.sessionEnded();
        // The BMC cannot be reached now, or is busy: the others would only wait for the same.
        else if (leftover.tries < maxTries) break;
        else shared.logger.warn('a session on a BMC could not be ended', { origin, uri: leftover.uri });
        kept = kept.filter((other) => other !== leftover);
      }
    },
  };
}
