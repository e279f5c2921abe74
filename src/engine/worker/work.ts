import type { Condition, JsonObject } from '../condition.ts';
import type { CheckOptions, Lease, PreviousHolder, WorkReport } from './worker-port.ts';

/** What a handler reports while it works; how it ended is what it returns. */
export type StepReport = Omit<WorkReport, 'state' | 'reason'>;

/** One condition to work on, with the lease that allows it. */
export interface Work {
  /** As it was when it was leased: `progress` says where an earlier holder got to. */
  readonly condition: Condition;
  readonly lease: Lease;
  /** Nobody worked on it before. */
  readonly isFirstLease: boolean;
  readonly previous: PreviousHolder | undefined;
  /** Whose sessions to end before anything else. */
  readonly leftovers: readonly PreviousHolder[];
  /** Aborts when the lease is lost or the worker's time to stop is over: stop at once and write nothing. */
  readonly signal: AbortSignal;
  /**
   * Aborts when somebody cancelled or the worker stops: go on to the next safe point. The next report there throws, once;
   * what a handler reports after that, to clean up, is taken as usual.
   */
  readonly ending: AbortSignal;
  readonly cancel: Condition['cancel'];
  /**
   * Makes progress durable and renews the lease. Throws `leaseLost`, and at a safe point `cancelled` or `stopping`. A
   * report with `isCancelUnsafe` is no safe point, nor is any other until one with `isCancelUnsafe: false`.
   */
  report(report?: StepReport): Promise<void>;
  /**
   * Throws `leaseLost` unless the lease is held by this process's and the store's clock: ask before what disrupts, with
   * how long that may reach the device.
   */
  check(options?: CheckOptions): Promise<void>;
  /**
   * For each piece of a long request: resolves at once while the lease is surely held, and otherwise when the store says
   * that it is. Throws `leaseLost`.
   */
  confirm(): Promise<void>;
  /**
   * Waits, but not past an abort of `signal`, `ending` or the signal given; throws as a report would for the first two. It
   * does not renew the lease.
   */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** The store's time: a time that one worker stores with its progress means the same to the next one. */
  now(): number;
  /** One of the slots that limit uploads; call what it gives to give it back. */
  acquireSlot(name: 'upload'): Promise<() => Promise<void>>;
}

/** How work ended. */
export type WorkOutcome =
  | { readonly outcome: 'succeeded'; readonly status?: JsonObject; readonly progress?: JsonObject }
  | {
      readonly outcome: 'failed';
      readonly reason: { readonly code: string; readonly message: string };
      readonly status?: JsonObject;
      readonly progress?: JsonObject;
    }
  /** Given back: with `afterMs` since something failed that may go better later. */
  | { readonly outcome: 'released'; readonly why: string; readonly afterMs?: number };

/** Works on conditions of one kind. What it throws is judged by its `retry` class: transient ones are tried again later. */
export type WorkHandler = (work: Work) => Promise<WorkOutcome>;
