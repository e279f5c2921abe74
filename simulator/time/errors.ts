/** Everything that can be wrong with the way simulated time is driven. */
export const timeErrors = {
  EndlessInstant: { retry: 'bug' },
  Stalled: { retry: 'bug' },
  DrivenByParties: { retry: 'bug' },
  NeverSettles: { retry: 'bug' },
  Closed: { retry: 'terminal' },
} as const;

/** The name of a row in the error table. */
export type TimeErrorReason = keyof typeof timeErrors;

/** Simulated time cannot go on. */
export class TimeError extends Error {
  readonly reason: TimeErrorReason;

  constructor(reason: TimeErrorReason, message: string) {
    super(message);
    this.name = 'TimeError';
    this.reason = reason;
  }
}
