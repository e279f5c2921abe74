import { refuse } from '../resources/errors.ts';
import type { RedfishAnswer } from '../route.ts';
import { lockedOut } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import type { RouteMatch } from './route-table.ts';

/** True when a request needs no authentication: of what also takes a POST, only the POST is open (the log-in). */
export function isOpen(match: RouteMatch | undefined, method: string): boolean {
  if (match === undefined || !match.isPublic) return false;
  return isLogIn(match, method) || !match.allowed.includes('POST');
}

/** True for the POST that opens a session. */
export function isLogIn(match: RouteMatch | undefined, method: string): boolean {
  return match?.isPublic === true && method === 'POST' && match.allowed.includes('POST');
}

/** The faults that keep a log-in with good credentials from working. */
export function refuseLogIn(exchange: Exchange): RedfishAnswer | undefined {
  const { machine, method, path } = exchange;
  if (machine.faults.strike('locked-out', { method, path }) !== undefined) return lockedOut(machine, path);
  if (machine.faults.strike('sessions-exhausted', { method, path }) === undefined) return undefined;
  return refuse(503, { messageId: 'SessionLimitExceeded' });
}
