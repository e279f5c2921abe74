import type { BmcIdentity } from '../../bmc/index.ts';
import type { Condition, ConditionState, JsonObject } from '../condition.ts';

/** A worker and what it can do. */
export interface WorkerIdentity {
  /** Unique in each life of a process: `flasher/host-7/5f3a...`. */
  readonly id: string;
  readonly kinds: readonly string[];
  readonly facilities: readonly string[];
  /**
   * Its leases end soon after its heartbeats do. It stops by itself what it does when none of them was taken for
   * `lostAfterMs` of the lease, and says with each check how long the request that follows may reach the device.
   */
  readonly isFencedByHeartbeats?: boolean;
}

/** A holder whose lease ended without an end of the work. */
export interface PreviousHolder {
  readonly controller: string;
  readonly token: number;
  /** Its Redfish session, which may still be open. */
  readonly sessionUri: string | undefined;
}

/** The right to work on a condition, for a while. */
export interface Lease {
  readonly condition: Condition;
  readonly token: number;
  readonly until: number;
  /** The holder before, when its lease ended without an end of the work: its BMC session must be ended first. */
  readonly previous: PreviousHolder | undefined;
  /** Everybody who left this device without a clean end, `previous` among them: end all their sessions first. */
  readonly leftovers: readonly PreviousHolder[];
  /** How long it lasts without progress: count from before a request was sent, never from its answer. */
  readonly leaseMs: number;
  /** How long its holder may be silent, counted as `leaseMs` is; absent where the holder is not fenced by heartbeats. */
  readonly lostAfterMs?: number;
  /** True when the holder before left it while a cancel had to wait: it has to wait still, until a report says otherwise. */
  readonly isCancelUnsafe?: boolean;
}

/** What a worker reports with a lease; each report is progress and renews the lease. */
export interface WorkReport {
  readonly state?: Extract<ConditionState, 'active' | 'failed' | 'succeeded'>;
  readonly status?: JsonObject;
  readonly progress?: JsonObject;
  /** The Redfish session in use, for whoever comes after. */
  readonly sessionUri?: string;
  /** True while a cancel has to wait (a flash is going on); stays as it is unless given. */
  readonly isCancelUnsafe?: boolean;
  /**
   * What the BMC says of itself; told before the first request of a lease that is about the machine. If other work goes on
   * behind the same BMC the lease is `lost`: the work waits for that.
   */
  readonly bmc?: BmcIdentity;
  /** Why it failed, with `state: 'failed'`. */
  readonly reason?: { readonly code: string; readonly message: string };
}

/** The answer to a report. `lost`: another holds it now, or nobody; stop at once and write nothing. */
export type ReportOutcome =
  | { readonly outcome: 'kept'; readonly until: number; readonly cancel: Condition['cancel'] }
  | { readonly outcome: 'lost'; readonly why: string };

/** What is asked of a lease; see `WorkerPort.check`. */
export interface CheckOptions {
  readonly requestMs?: number;
}

/** How work is given back; see `WorkerPort.release`. */
export interface ReleaseOptions {
  readonly afterMs?: number;
  readonly isNotCounted?: boolean;
  readonly areLeftoversKept?: boolean;
  readonly isHolderGone?: boolean;
}

/** How workers work for an engine: in its process, or over HTTP. */
export interface WorkerPort {
  /** Says hello; what was leased to an earlier life under the same id is given up. */
  online(worker: WorkerIdentity): Promise<void>;
  /** Still there; this does not renew leases, only progress does. Throws `unknownWorker` also for one that was lost. */
  heartbeat(workerId: string): Promise<void>;
  /** What it still holds is taken away, unless others go on with it under its tokens (`areLeasesKept`). */
  offline(workerId: string, options?: { readonly areLeasesKept?: boolean }): Promise<void>;
  /** Up to `max` leases, only of work on `target` if one is given; waits up to `waitMs` for work. */
  lease(
    workerId: string,
    options: {
      readonly max: number;
      readonly waitMs: number;
      readonly signal?: AbortSignal;
      readonly target?: string | undefined;
    },
  ): Promise<readonly Lease[]>;
  report(lease: { readonly conditionId: string; readonly token: number }, report: WorkReport): Promise<ReportOutcome>;
  /**
   * Throws when the lease is not held any more by the store's clock: asked immediately before a disruptive request. The
   * request that follows may reach the device for `requestMs`, which is stored: whoever comes next waits for it. The
   * kind's `requestDeadlineMs` unless given, and at most that; 0 where nothing disruptive follows.
   */
  check(lease: { readonly conditionId: string; readonly token: number }, options?: CheckOptions): Promise<void>;
  /**
   * Gives the work back unfinished: it is pending again. With `afterMs` it was a failure: it is not leased again before
   * that, and it counts towards the kind's `maxLeases`, unless `isNotCounted` says that the work is not to blame. With
   * `areLeftoversKept` nothing was done under the lease: who left the device before without a clean end is told of again.
   * With `isHolderGone` somebody else tells that the holder died: its session has to be ended too, and the device stays
   * quiet until its last request must be over.
   */
  release(
    lease: { readonly conditionId: string; readonly token: number },
    why: string,
    options?: ReleaseOptions,
  ): Promise<void>;
  /** One of the slots that limit uploads; resolves when there is one. Waiting in line renews the lease. */
  acquireSlot(
    name: 'upload',
    lease: { readonly conditionId: string; readonly token: number },
    signal: AbortSignal,
  ): Promise<() => Promise<void>>;
}
