import type { GateSettings } from './settings.ts';

/** Whether a log-in may be tried. Times are on the monotonic clock. */
export type LogInVerdict =
  | { readonly kind: 'go' }
  /** These credentials were refused, or their account is locked. */
  | { readonly kind: 'stopped'; readonly why: 'credentials' | 'lockedOut'; readonly untilMs: number }
  /** Too many were refused lately, whichever they were. */
  | { readonly kind: 'rest'; readonly untilMs: number };

/** Credentials as the breaker knows them: the name, and a digest that tells whether they changed. */
export interface CredentialMark {
  readonly username: string;
  readonly digest: string;
}

/** What was refused. */
export interface Refusal {
  readonly mark: CredentialMark;
  readonly nowMs: number;
  readonly isLocked: boolean;
  /** An outage is expected: a BMC that restarts refuses what it would take later. */
  readonly isOutage: boolean;
}

/** Keeps us from locking an account: stops logging in before the BMC does it for us. */
export interface Breaker {
  verdict(mark: CredentialMark, nowMs: number): LogInVerdict;
  refused(refusal: Refusal): void;
  /** The BMC took them; what it refused of others stays refused. */
  accepted(mark: CredentialMark): void;
  /** A session that was only just opened was refused at a path: logging in again would not help. */
  noteFutileLogIn(path: string, nowMs: number): void;
  /** A session was good for a path: there, and in general, logging in helps. */
  noteGoodSession(path: string): void;
  /** Fresh sessions were refused too often lately, at this path or wherever one was used. */
  isLogInFutile(path: string, nowMs: number): boolean;
  /** What is shown: the credentials that are stopped, or the rest. */
  shown(nowMs: number): (LogInVerdict & { readonly username?: string }) | undefined;
}

type BreakerSettings = Pick<
  GateSettings,
  'maxRefusedLogIns' | 'logInRestMs' | 'refusedCoolDownMs' | 'lockedCoolDownMs' | 'outageLogInSpacingMs'
>;

interface Stop extends CredentialMark {
  readonly why: 'credentials' | 'lockedOut';
  readonly untilMs: number;
}

/** Callers with different wrong credentials must not make each other's forgotten; there are never many of them. */
const maxStops = 16;

/** No path: what holds for all of them. */
const anywhere = '';

/** Makes a breaker that lets everything pass. */
export function createBreaker(settings: BreakerSettings): Breaker {
  let refusals = 0;
  let lastRefusalMs = 0;
  let spacedUntilMs = 0;
  let stops: readonly Stop[] = [];
  /** By path; a path may be closed to us for good while others are open. */
  const futile = new Map<string, { readonly count: number; readonly lastMs: number }>();
  /** The last word was a refusal. */
  let isRefusing = false;

  const restUntilMs = (nowMs: number): number => {
    if (refusals > 0 && nowMs >= lastRefusalMs + settings.logInRestMs) refusals = 0;
    const restMs = refusals >= settings.maxRefusedLogIns ? lastRefusalMs + settings.logInRestMs : 0;
    return Math.max(restMs, spacedUntilMs);
  };
  const stopOf = (mark: CredentialMark, nowMs: number): Stop | undefined =>
    stops.find(
      (stop) =>
        nowMs < stop.untilMs &&
        // A locked account stays locked with another password.
        (stop.why === 'lockedOut' ? stop.username === mark.username : stop.digest === mark.digest),
    );
  const addStop = (stop: Stop): void => {
    stops = [stop, ...stops.filter(({ digest }) => digest !== stop.digest)].slice(0, maxStops);
  };

  return {
    verdict(mark, nowMs) {
      const stop = stopOf(mark, nowMs);
      if (stop !== undefined) return { kind: 'stopped', why: stop.why, untilMs: stop.untilMs };
      const untilMs = restUntilMs(nowMs);
      return nowMs < untilMs ? { kind: 'rest', untilMs } : { kind: 'go' };
    },
    refused({ mark, nowMs, isLocked, isOutage }) {
      restUntilMs(nowMs);
      refusals += 1;
      lastRefusalMs = nowMs;
      isRefusing = true;
      if (isLocked) addStop({ ...mark, why: 'lockedOut', untilMs: nowMs + settings.lockedCoolDownMs });
      else if (isOutage) spacedUntilMs = nowMs + settings.outageLogInSpacingMs;
      else addStop({ ...mark, why: 'credentials', untilMs: nowMs + settings.refusedCoolDownMs });
    },
    accepted({ username, digest }) {
      refusals = 0;
      spacedUntilMs = 0;
      isRefusing = false;
      // The account is not locked; another password of it, or another account, is as wrong as before.
      stops = stops.filter(
        (stop) => stop.digest !== digest && !(stop.why === 'lockedOut' && stop.username === username),
      );
    },
    noteFutileLogIn(path, nowMs) {
      for (const where of [path, anywhere]) {
        const { count = 0, lastMs = 0 } = futile.get(where) ?? {};
        futile.set(where, { count: nowMs - lastMs < settings.logInRestMs ? count + 1 : 1, lastMs: nowMs });
      }
    },
    noteGoodSession(path) {
      if (futile.size === 0) return;
      futile.delete(path);
      futile.delete(anywhere);
    },
    isLogInFutile: (path, nowMs) =>
      [path, anywhere].some((where) => {
        const { count = 0, lastMs = 0 } = futile.get(where) ?? {};
        return count >= settings.maxRefusedLogIns && nowMs - lastMs < settings.logInRestMs;
      }),
    shown(nowMs) {
      const [stop] = stops;
      if (isRefusing && stop !== undefined && nowMs < stop.untilMs) {
        return { kind: 'stopped', why: stop.why, untilMs: stop.untilMs, username: stop.username };
      }
      const untilMs = restUntilMs(nowMs);
      return nowMs < untilMs ? { kind: 'rest', untilMs } : undefined;
    },
  };
}
