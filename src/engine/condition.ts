/** Where a condition stands. `failed` and `succeeded` are final: nothing follows them. */
export const conditionStates = ['pending', 'active', 'failed', 'succeeded'] as const;

/** Where a condition stands. */
export type ConditionState = (typeof conditionStates)[number];

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [member: string]: JsonValue };

/** Why a condition is not going on, or how it ended. */
export interface ConditionReason {
  /** One word for programs: `HostInUse`, `ClaimedTwice`, `WaitsForLock`, `WaitsForTurn`, `LimitReached`, `Cancelled`, `DeadlinePassed`. */
  readonly code: string;
  readonly message: string;
  readonly since: number;
}

/** An action to be brought to an end on a target. All times are epoch milliseconds of the store's clock. */
export interface Condition {
  readonly id: string;
  /** Shared by conditions that were asked for together and run in order; equal to `id` for a single one. */
  readonly unit: string;
  readonly unitIndex: number;
  /** `server/<uuid>` or `model/<manufacturer>/<model>`. */
  readonly target: string;
  /** What exclusive work locks: `bmc/<id>` for servers, the target itself otherwise. */
  readonly lockKey: string;
  readonly kind: string;
  readonly state: ConditionState;
  readonly parameters: JsonObject;
  /** What the worker tells people. */
  readonly status: JsonObject;
  /** What the worker needs to go on after a crash: its durable steps. */
  readonly progress: JsonObject;
  /** The worker that has or had it. */
  readonly controller: string | undefined;
  /** Opaque; changes with every write, and every write must name the one it saw. */
  readonly lock: string;
  /** Greater runs first. */
  readonly priority: number;
  readonly facility: string;
  /** Who asked. */
  readonly client: string;
  readonly reason: ConditionReason | undefined;
  /** The token of the last lease; writes of a holder of an older one are refused. 0: never leased. */
  readonly fencingToken: number;
  readonly leaseUntil: number | undefined;
  /** How often it was leased. */
  readonly leases: number;
  /** Set when somebody asked to cancel; the worker stops at its next safe point. */
  readonly cancel: { readonly at: number; readonly isForced: boolean; readonly by: string } | undefined;
  /** A worker began something that must not be interrupted, such as a flash. Stays true when its lease ends. */
  readonly isCancelUnsafe: boolean;
  /** Fails at this time if it is not final by then. */
  readonly deadline: number | undefined;
  /** The trace of whoever asked for it, as W3C's traceparent; missing where nobody traces. */
  readonly traceparent?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finalizedAt: number | undefined;
}

/** True once nothing can follow. */
export function isFinal(state: ConditionState): boolean {
  return state === 'failed' || state === 'succeeded';
}

/** What a cancel achieved: `finished` when the condition had ended otherwise, so that there was nothing to cancel. */
export type CancelOutcome = 'cancelled' | 'stopping' | 'finished';

/** Reads what a cancel achieved from the condition as it is afterwards. The same however often it is asked for. */
export function readCancelOutcome({ state, reason }: Pick<Condition, 'state' | 'reason'>): CancelOutcome {
  if (!isFinal(state)) return 'stopping';
  return reason?.code === 'Cancelled' ? 'cancelled' : 'finished';
}
