/** How a gate behaves. Times are milliseconds. */
export interface GateSettings {
  /** Requests to one BMC at once. Most BMCs are slow computers: one. */
  readonly maxInFlight: number;
  /** How long one try may take unless the request says otherwise. */
  readonly deadlineMs: number;
  readonly connectMs: number;
  /**
   * How long a connection is kept for the next request, unless the BMC says that it keeps it for less. Long enough for the
   * next look at an update that goes on: a new connection costs both ends more than several requests.
   */
  readonly keepAliveMs: number;
  /** A stream of events that brings nothing for so long is ended; whoever follows it opens another. */
  readonly streamIdleMs: number;
  readonly maxAnswerBytes: number;
  readonly maxDepth: number;
  /** Tries of a request that may be repeated. */
  readonly maxTries: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Log out after so long without a request. */
  readonly idleLogOutMs: number;
  /** How long logging out may take when everything is closed. */
  readonly closeMs: number;
  /** Spacing after the first sign that a BMC cannot keep up; doubles with each further one. */
  readonly firstSpacingMs: number;
  readonly maxSpacingMs: number;
  /** Spacing that each good answer takes away. */
  readonly spacingStepMs: number;
  /** No Retry-After is waited out for longer. */
  readonly maxRetryAfterMs: number;
  /** Refused log-ins in a row before there is a rest; common lockout thresholds begin at 3. */
  readonly maxRefusedLogIns: number;
  /** The rest, after which refused log-ins are forgotten: longer than common lockout counters last. */
  readonly logInRestMs: number;
  /** Credentials that were refused are tried again after this: longer than lockout counters of an hour last. */
  readonly refusedCoolDownMs: number;
  /** An account that is locked is left alone for this long. */
  readonly lockedCoolDownMs: number;
  /** Least time between two log-ins that fail while an outage is expected. */
  readonly outageLogInSpacingMs: number;
  /** How old a lease check may be when the request leaves; a slow connection makes it older. */
  readonly leaseFreshMs: number;
}

/** Settings that suit the BMCs on the market. */
export const defaultGateSettings: GateSettings = {
  maxInFlight: 1,
  deadlineMs: 30_000,
  connectMs: 10_000,
  keepAliveMs: 10_000,
  streamIdleMs: 600_000,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxDepth: 64,
  maxTries: 4,
  backoff: { baseMs: 250, maxMs: 10_000 },
  idleLogOutMs: 30_000,
  closeMs: 5_000,
  firstSpacingMs: 100,
  maxSpacingMs: 10_000,
  spacingStepMs: 50,
  maxRetryAfterMs: 60_000,
  maxRefusedLogIns: 2,
  logInRestMs: 600_000,
  refusedCoolDownMs: 3_900_000,
  lockedCoolDownMs: 900_000,
  outageLogInSpacingMs: 30_000,
  leaseFreshMs: 1_000,
};
