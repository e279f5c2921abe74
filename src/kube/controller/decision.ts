import type { EventDraft } from '../event-recorder.ts';

/** A moment: milliseconds of wall time. Passed in, never asked for. */
export type Instant = number;

/** Something to be done; kinds extend it into a closed union. */
export interface Effect {
  readonly kind: string;
  /** Doing two effects of one key does no more than doing one. */
  readonly key: string;
}

/** When to look again: after a time, when something changes, or never, and then why. */
export type Wake = { readonly after: number } | { readonly on: 'change' } | { readonly never: string };

/** Why things are as they are, for people and for `rackwright why`. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  /** Since when this holds, where that is known. */
  readonly since?: Instant | undefined;
}

/** What a controller wants: pure data. */
export interface Decision<E extends Effect, S> {
  /** Done in order; the first that fails ends it. */
  readonly effects: readonly E[];
  /** What the status should say; undefined leaves it alone. */
  readonly status: S | undefined;
  readonly wake: Wake;
  readonly why: readonly Reason[];
  /** Told to people once the effects are done. */
  readonly events?: readonly EventDraft[];
  /** The state of the controller's table that the object is in; counted where there is a table. */
  readonly state?: string;
}
