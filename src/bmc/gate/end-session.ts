import { BmcError } from '../errors.ts';
import type { BmcEndpoint, Gates, LeaseCheck } from './gate.ts';
import { sessionPath } from './log-in-answer.ts';
import { isSessionPath } from './plan.ts';

/** Whose session is ended, and by whom. */
export interface SessionToEnd {
  readonly endpoint: BmcEndpoint;
  /** As it was recorded with the lease. */
  readonly sessionUri: string;
  readonly checkLease?: LeaseCheck;
}

/**
 * Ends a session that another process opened: a new lease holder shuts out the old one before it acts. It is no error
 * when the session is gone already.
 */
export async function endSession(gates: Gates, { endpoint, sessionUri, checkLease }: SessionToEnd): Promise<void> {
  const lane = gates.open(endpoint, checkLease === undefined ? {} : { checkLease });
  const path = sessionPath(sessionUri);
  if (path === undefined || !isSessionPath(path)) {
    throw new BmcError('badAddress', {
      address: JSON.stringify(sessionUri),
      detail: 'it is not the path of a session',
    });
  }
  if (lane.sessionUri === path) return lane.logOut();
  await lane.request({ method: 'DELETE', path, accept: [404, 410] });
}
