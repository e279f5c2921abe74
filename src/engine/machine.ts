/** What the engine knows of a machine: enough to lock, to limit and to tell two of them apart. */
export interface MachineRecord {
  /** Redfish System UUID, or a UUIDv5 where that is no use. */
  readonly id: string;
  readonly facility: string;
  /**
   * The BMC it hangs on: what exclusive work locks. Several systems may share one, and machines with an address of one BMC
   * always do, whatever `bmcId` they are put with.
   */
  readonly bmcId: string;
  readonly manufacturer: string;
  readonly model: string;
  /** Set while disruptive work has to wait: `HostInUse`. */
  readonly hold: { readonly code: string; readonly message: string } | undefined;
}

/**
 * A name by which a machine is known: its BMC's address, a serial number, a MAC, a BareMetalHost, a Server. `machine-id` is
 * the id of its record, for those who look it up or claim it.
 */
export interface Alias {
  readonly kind: 'bmc-address' | 'serial' | 'mac' | 'baremetalhost' | 'server' | 'bmc' | 'machine-id';
  readonly value: string;
}

/** Somebody claims a name that another machine has. */
export interface AliasConflict {
  readonly alias: Alias;
  readonly heldBy: string;
  /** The name of the other machine, where it is not the same: one names a system, the other the whole BMC. */
  readonly heldAs?: string;
}

/** What is known of a machine is from before some work on it, until it has been read again. */
export interface OutdatedMachine {
  readonly machineId: string;
  /** The kind of condition that reads it. */
  readonly kind: string;
  /** When the work ended. */
  readonly since: number;
  /** The work that ended. */
  readonly conditionId: string;
  /** How often reading it has failed since. */
  readonly failures: number;
}
