import type { Difference } from '../server/differences.ts';

/** Why something is as it is, with when it began and when it ends where that is known. Times are RFC 3339. */
export interface PlanReason {
  /** A word in CamelCase; those of conditions are the same words. */
  readonly code: string;
  readonly message: string;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Who wants a version. */
export type WantedBy =
  | { readonly kind: 'group'; readonly group: string }
  /** An entry of the server that wins over one of its group. */
  | { readonly kind: 'override'; readonly group: string; readonly groupVersion: string }
  /** An entry of the server that no group has anything to say about. */
  | { readonly kind: 'server' };

/** A firmware of a server that is not as it should be. */
export interface PlannedFirmware {
  readonly name: string;
  readonly manufacturer: string;
  /** What narrows the entry; absent where it means every part of the class and maker. */
  readonly model?: string | undefined;
  readonly softwareId?: string | undefined;
  readonly slot?: string | undefined;
  /** What updates take the name for. */
  readonly component: string;
  /** Absent where the last scan saw none. */
  readonly installed?: string | undefined;
  readonly wanted: string;
  readonly relation: Difference['relation'];
  readonly wantedBy: WantedBy;
}

/** A firmware that would be installed. */
export interface PlannedInstall extends PlannedFirmware {
  /** Its place in the update, from 1. */
  readonly order: number;
  /** What starts anew for it. */
  readonly restarts: 'host' | 'bmc' | 'none';
  /** The BMC does so by itself. */
  readonly isByItself: boolean;
  readonly isPowerCycle: boolean;
  /** The host is off while it is written. */
  readonly isHostOff: boolean;
}

/** A firmware that differs and would not be installed now, and why. */
export interface WaitingFirmware extends PlannedFirmware {
  readonly reason: string;
}

/** What a server comes to when everything is as it is now. */
export type PlanState =
  /** An update would be asked for. */
  | 'update'
  /** A scan is due, and nothing else as far as is known. */
  | 'scan'
  /** A request is open. */
  | 'under-way'
  /** Something differs, and is tried again by itself. */
  | 'waits'
  /** Something keeps it from what is wanted until somebody does something. */
  | 'blocked'
  /** It is left alone. */
  | 'inert'
  /** No firmware version is declared for it. */
  | 'no-target'
  | 'up-to-date';

/** All states, in the order in which they are told of. */
export const planStates: readonly PlanState[] = [
  'update',
  'scan',
  'under-way',
  'waits',
  'blocked',
  'inert',
  'no-target',
  'up-to-date',
];

/** Entries that a group would write or take back before anything else happens. */
export interface PlannedWrite {
  /** Absent when no group has a say any more. */
  readonly group?: string | undefined;
  readonly set: readonly { readonly name: string; readonly manufacturer: string; readonly version: string }[];
  readonly takenBack: readonly { readonly name: string; readonly manufacturer: string; readonly version: string }[];
}

/** What would be done to one server. */
export interface ServerPlan {
  /** Name of the Server. */
  readonly server: string;
  readonly serverFirmware?: string | undefined;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  /** The group that selects it and is for its hardware. */
  readonly group?: string | undefined;
  readonly state: PlanState;
  /** What the controller would ask for at once. */
  readonly asks: readonly ('scan' | 'update' | 'withdraw')[];
  /** The versions would be read before the update; the plan goes by those last read. */
  readonly isScanFirst: boolean;
  readonly lastScanTime?: string | undefined;
  readonly writes?: PlannedWrite | undefined;
  /** In the order in which they would be installed. */
  readonly installs: readonly PlannedInstall[];
  readonly waiting: readonly WaitingFirmware[];
  readonly hostReboots: number;
  readonly bmcRestarts: number;
  /** The host is off: it is switched on for the update and off again after it. */
  readonly isHostOff: boolean;
  /** What keeps it from what is wanted. */
  readonly reasons: readonly PlanReason[];
  /** What to know besides. */
  readonly notes: readonly PlanReason[];
  /** When the controller looks again though nothing changes. */
  readonly lookedAtNext?: string | undefined;
}

/** What a group would do. */
export interface GroupPlan {
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly serversInGroup: number;
  readonly updatesApplied: number;
  readonly updatesNotApplied: number;
  readonly updatesFailed: number;
  /** Servers it would write entries to, or take them back from. */
  readonly writesTo: number;
  /** That it is paused, has halted, conflicts, or selects other hardware. */
  readonly reasons: readonly PlanReason[];
}

/** An object that the plan takes to be applied. */
export interface AssumedObject {
  readonly kind: string;
  readonly name: string;
  /** The file and line it stands in. */
  readonly source: string;
  readonly change: 'created' | 'configured' | 'unchanged';
}

/** Everything added up. */
export interface PlanTotals {
  readonly servers: number;
  readonly byState: Readonly<Record<PlanState, number>>;
  readonly writes: number;
  readonly scans: number;
  readonly updates: number;
  readonly installs: number;
  readonly hostReboots: number;
  readonly bmcRestarts: number;
  /** Servers by what keeps them. */
  readonly byReason: Readonly<Record<string, number>>;
}

/** What would be done to the firmware of a fleet, as `rackwright plan firmware -o json` prints it. */
export interface FirmwarePlan {
  readonly kind: 'FirmwarePlan';
  /** Grows when a member changes its meaning; members may be added without. */
  readonly formatVersion: 1;
  readonly madeAt: string;
  readonly assumed: readonly AssumedObject[];
  readonly groups: readonly GroupPlan[];
  readonly servers: readonly ServerPlan[];
  readonly totals: PlanTotals;
}
