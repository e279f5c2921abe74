import { Code, ConnectError } from '@connectrpc/connect';
import type { Refusal } from '../refusal.ts';

/** How many may watch jobs at once, each with a look of its own into the store. */
const mostWatchers = 200;

/** Those who watch jobs now. A stream has no answer that could carry a refusal, so that its end says why. */
export function createWatchers() {
  let count = 0;
  return {
    /** Lets one more in; call what it gives when it leaves. */
    enter(): () => void {
      if (count >= mostWatchers) {
        throw new ConnectError(`${mostWatchers} watch jobs already; ask again later`, Code.ResourceExhausted);
      }
      count += 1;
      return () => {
        count -= 1;
      };
    },
    explain(error: unknown, refusal: Refusal): ConnectError {
      if (error instanceof ConnectError) return error;
      const codes: Partial<Record<Refusal['code'], Code>> = {
        invalidRequest: Code.InvalidArgument,
        jobNotFound: Code.NotFound,
        unavailable: Code.Unavailable,
      };
      return new ConnectError(refusal.message, codes[refusal.code] ?? Code.Internal, undefined, undefined, error);
    },
  };
}
