/** A difference from the real server that is meant to be, with its reason. */
export interface KnownDifference {
  /** The id of the case. */
  readonly caseId: string;
  /** Where: a part of the place that the report prints (`3. GET /metrics .body`). */
  readonly at: string;
  /** Why the embedded server does not do the same; printed in the docs. */
  readonly reason: string;
}

/** Every permitted difference. One that turns out equal fails the suite, so that this list never outlives its reasons. */
export const knownDifferences: readonly KnownDifference[] = [];
