import { Code, ConnectError } from '@connectrpc/connect';
import type { Refusal } from '../refusal.ts';
import { protocolError } from './answers.ts';

/** How many may watch jobs at once, each with a look of its own into the store. */
const mostWatchers = 200;

/** Those who watch jobs now. A stream has no answer that could carry a refusal, so that its end says why. */
export function createWatchers() {
  let count = 0;
  return {
    /** Lets one more in; call what it gives when it leaves. */
    enter(): () => void {
      if (count >= mostWatchers) {
        const message = `${mostWatchers} watch jobs already; ask again later`;
        throw protocolError({ code: 'resourceExhausted', message }, { code: Code.ResourceExhausted });
      }
      count += 1;
      return () => {
        count -= 1;
      };
    },
    explain(cause: unknown, refusal: Refusal): ConnectError {
      if (cause instanceof ConnectError) return cause;
      const codes: Partial<Record<Refusal['code'], Code>> = {
        invalidRequest: Code.InvalidArgument,
        jobNotFound: Code.NotFound,
        unavailable: Code.Unavailable,
      };
      return protocolError(refusal, { code: codes[refusal.code] ?? Code.Internal, cause });
    },
  };
}
