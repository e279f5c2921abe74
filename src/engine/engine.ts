import type { Claims } from './claims/claim.ts';
import type { Condition, ConditionReason, ConditionState, JsonObject } from './condition.ts';
import type { TargetNote } from './conditions/note.ts';
import type { KindDefinition } from './kinds.ts';
import type { LeaseHolder } from './leases/hand-over.ts';
import type { JoinedReport } from './leases/report.ts';
import type { Alias, AliasConflict, MachineRecord, OutdatedMachine } from './machine.ts';
import type { Transaction } from './store/database.ts';
import type { WorkerPort, WorkReport } from './worker/worker-port.ts';

/** One thing that is asked for. */
export interface ConditionOrder {
  readonly kind: string;
  readonly parameters: JsonObject;
  readonly priority?: number;
  readonly deadlineMs?: number;
}

/** What is asked for on one target: one condition, or several that run in order. */
export interface CreateOrder {
  readonly target: string;
  readonly orders: readonly ConditionOrder[];
  readonly client: string;
  /**
   * The owner of the machine, where it is the owner's own work: the use by which its claim holds back others does not hold
   * it back. Never what a caller over the network says.
   */
  readonly owner?: string;
  /** Where targets that are no machine are worked on; any worker takes it unless given. A machine knows its own. */
  readonly facility?: string;
}

/**
 * The answer to an order. `existing`: one with equal parameters is there already (another door asked for the same).
 * `conflict`: one of that kind with other parameters is not final yet. Work of the machine's owner neither finds work of
 * others nor conflicts with it.
 */
export type CreateOutcome =
  | { readonly outcome: 'created'; readonly conditions: readonly Condition[] }
  | { readonly outcome: 'existing'; readonly conditions: readonly Condition[] }
  | { readonly outcome: 'conflict'; readonly current: Condition };

/** A change by somebody who saw the record. The kind cannot be changed. */
export interface ConditionChange {
  readonly lock: string;
  readonly state?: ConditionState;
  readonly parameters?: JsonObject;
  readonly status?: JsonObject;
  readonly priority?: number;
  readonly controller?: string;
}

/** Which conditions to list. */
export interface ConditionQuery {
  readonly target?: string;
  readonly kind?: string;
  readonly states?: readonly ConditionState[];
  readonly facility?: string;
  readonly controller?: string;
  readonly unit?: string;
  /** Also those in the history. */
  readonly isWithHistory?: boolean;
  readonly limit?: number;
  /** Opaque, from the page before. */
  readonly after?: string;
}

/** One page of conditions. */
export interface ConditionPage {
  readonly conditions: readonly Condition[];
  readonly next: string | undefined;
}

/** What happened, in order; mirrors and notifications follow it by `seq`. */
export interface EngineEvent {
  readonly seq: number;
  readonly at: number;
  /**
   * `created`, `leased`, `reported`, `changed`, `released`, `finalized`, `lease-expired`, `worker-lost`,
   * `worker-online`, `worker-offline`, `cancel-asked`.
   */
  readonly event: string;
  readonly conditionId: string | undefined;
  readonly target: string | undefined;
  readonly kind: string | undefined;
  readonly state: ConditionState | undefined;
  readonly detail: JsonObject;
}

/** A worker process that was heard of. */
export interface ControllerRecord {
  readonly id: string;
  readonly kinds: readonly string[];
  readonly facilities: readonly string[];
  readonly isOnline: boolean;
  readonly seenAt: number;
  readonly onlineSince: number;
}

/** How much may run at once and wait; 0 means no limit. */
export interface EngineLimits {
  readonly active: number;
  readonly activePerFacility: number;
  readonly activePerModel: number;
  readonly pending: number;
  readonly uploads: number;
}

/** The engine: every front door asks it, every worker works for it. */
export interface Engine {
  readonly storeId: string;
  readonly kinds: readonly KindDefinition[];
  create(order: CreateOrder): Promise<CreateOutcome>;
  get(id: string): Promise<Condition | undefined>;
  list(query: ConditionQuery): Promise<ConditionPage>;
  /** Writes if `lock` is the current one; otherwise says which it is. */
  change(
    id: string,
    change: ConditionChange,
  ): Promise<{ readonly outcome: 'changed' | 'stale'; readonly current: Condition }>;
  /**
   * A pending condition fails at once as cancelled; an active one is told and stops at a safe point. During a flash a
   * forced cancel is refused unless `doesInsist`.
   */
  cancel(
    id: string,
    by: { readonly client: string; readonly isForced: boolean; readonly doesInsist: boolean },
  ): Promise<Condition>;
  /** Only what is final can be deleted. */
  remove(id: string): Promise<void>;
  /** The events after `seq`, oldest first. */
  eventsAfter(seq: number, limit: number): Promise<readonly EngineEvent[]>;
  /** The number of the last event there is; 0 when there is none. */
  lastEvent(): Promise<number>;
  /** Events that happen from now on get greater numbers than this one, for a store that followers know to have had it. */
  numberAfter(seq: number): Promise<void>;
  readonly machines: Machines;
  /** Machines that somebody outside owns. */
  readonly claims: Claims;
  readonly worker: WorkerPort;
  /**
   * Hands a lease over to a process that works under this one only. From then on its heartbeats keep it, and it says with
   * each check how long the request that follows may reach the device. Done again it changes nothing. Throws `leaseLost`.
   */
  handOver(lease: { readonly conditionId: string; readonly token: number }): Promise<LeaseHolder>;
  /**
   * Takes a worker's report in a transaction on the engine's store in which the caller writes what belongs to it. Nothing
   * is thrown for a lost lease: whoever gets `lost` has to throw, so that nothing of the transaction is stored. The
   * transaction has to be one with `isolation: 'row-locks'`.
   */
  joinReport(
    tx: Transaction,
    lease: { readonly conditionId: string; readonly token: number },
    report: WorkReport,
  ): Promise<JoinedReport>;
  /**
   * Writes an event about a target, in a transaction of the caller, while nothing exclusive is active there. Throws
   * `machineBusy`, `unknownMachine`.
   */
  joinNote(tx: Transaction, note: TargetNote): Promise<void>;
  /** Workers that were heard of. */
  controllers(): Promise<readonly ControllerRecord[]>;
  /** One round of what is done at intervals: leases that ended, deadlines, publishing, garbage. Returns what it did. */
  sweep(): Promise<SweepReport>;
  /** Since when what is known of a machine is from before some work on it; undefined once it has been read again. */
  outdated(machineId: string): Promise<OutdatedMachine | undefined>;
  setLimits(limits: Partial<EngineLimits>): void;
  readonly limits: EngineLimits;
  /** Called for every change this process made or heard of; a hint, never the truth. */
  onHint(listener: (hint: { readonly conditionId?: string; readonly target?: string }) => void): () => void;
  close(): Promise<void>;
}

/** What a sweep did. */
export interface SweepReport {
  readonly expiredLeases: number;
  readonly failedByDeadline: number;
  /** Readings that were asked for after work that ended. */
  readonly scheduledReadings: number;
  readonly published: number;
  readonly collected: number;
  readonly lostControllers: readonly string[];
  /** Failed because nothing could run them, or their machine is gone. */
  readonly failedAsUnrunnable: number;
}

/** Machines and their names. */
export interface Machines {
  get(id: string): Promise<MachineRecord | undefined>;
  findByAlias(alias: Alias): Promise<MachineRecord | undefined>;
  /** The machine that is meant by names of different kinds: its id and its address decide before MACs and serial number. */
  findByNames(names: readonly Alias[]): Promise<MachineRecord | undefined>;
  /**
   * Adds or changes a machine and its names, all or nothing: a name held by another machine changes nothing. The names
   * given are all it has from then on. Another BMC is refused with `machineBusy` while work on the machine goes on, and so
   * is another address, unless the caller knows that the same BMC answers there and no other machine at the old one.
   */
  put(
    machine: MachineRecord,
    aliases: readonly Alias[],
    about?: { readonly isSameBmc: boolean },
  ): Promise<'ok' | readonly AliasConflict[]>;
  /** Records of the same machine, by what their BMCs say of themselves; machines without any are missing. */
  duplicatesOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  setHold(id: string, hold: MachineRecord['hold']): Promise<void>;
  /** Every name of a machine. */
  aliasesOf(id: string): Promise<readonly Alias[]>;
  /** Refused with `machineBusy` while work on it goes on; what only waits fails with `MachineGone`. */
  remove(id: string): Promise<void>;
}

/** Why a pending condition is not leased yet, for status and `rackwright why`. */
export type WaitReason = ConditionReason;
