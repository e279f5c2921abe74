/** Everything that can go wrong, by name. */
export const faultKinds = [
  'flash-hangs',
  'task-completed-critical',
  'task-vanishes',
  'version-stays',
  'unreachable-after-flash',
  'unauthorized-while-updating',
  'busy',
  'slow-answer',
  'connection-reset',
  'truncated-json',
  'malformed-json',
  'wrong-content-type',
  'session-expired',
  'sessions-exhausted',
  'locked-out',
  'wrong-inventory',
  'host-stays-down',
  'image-download-fails',
  'clock-off',
  'certificate-changed',
] as const;

/** One of the faults. */
export type FaultKind = (typeof faultKinds)[number];

/** Where in the course of a request a connection is reset. */
export const resetMoments = ['before-reading', 'after-reading', 'after-acting', 'mid-answer'] as const;

/** Where in the course of a request a connection is reset. */
export type ResetMoment = (typeof resetMoments)[number];

/** When a fault strikes. */
export interface FaultRule {
  readonly kind: FaultKind;
  /** Machine name; `*` stands for any run of characters. All machines unless given. */
  readonly machines?: string;
  /** Share of the machines that have it at all, chosen by seed. 1 unless given. */
  readonly machineRate?: number;
  /** Share of the opportunities at which it strikes. 1 unless given. */
  readonly rate?: number;
  /** Strikes at most so many times a machine. */
  readonly times?: number;
  /** Not before, and not after, this simulated time since the start. */
  readonly afterMs?: number;
  readonly untilMs?: number;
  /** How long: of a slow answer, of being unreachable, of the time after which one that is busy asks to be asked again. */
  readonly durationMs?: number;
  /** Restricts request faults to methods and paths (`*` as above). */
  readonly method?: string;
  readonly path?: string;
  /** Restricts update faults to a component. */
  readonly component?: string;
  /** When a connection is reset: drawn by seed unless given. Only `after-acting` and `mid-answer` do what was asked. */
  readonly moment?: ResetMoment;
}

/** What the moment offers to a fault. */
export interface FaultOpportunity {
  readonly method?: string;
  readonly path?: string;
  readonly component?: string;
}

/** The faults of one machine. */
export interface FaultSet {
  /** Grows when the rules are replaced, so that faults which strike once may strike again. */
  readonly revision?: number;
  /** The rule that strikes now, if one does: counts it, and logs it. */
  strike(kind: FaultKind, opportunity?: FaultOpportunity): FaultRule | undefined;
}
