/** What the engine knows of a machine: enough to lock, to limit and to tell two of them apart. */
export interface MachineRecord {
  /** Redfish System UUID, or a UUIDv5 where that is no use. */
  readonly id: string;
  readonly facility: string;
  /** The BMC it hangs on; several systems may share one. */
  readonly bmcId: string;
  readonly manufacturer: string;
  readonly model: string;
  /** Set while disruptive work has to wait: `HostInUse`. */
  readonly hold: { readonly code: string; readonly message: string } | undefined;
}

/** A name by which a machine is known: its BMC's address, a serial number, a MAC, a BareMetalHost, a Server. */
export interface Alias {
  readonly kind: 'bmc-address' | 'serial' | 'mac' | 'baremetalhost' | 'server' | 'bmc';
  readonly value: string;
}

/** Somebody claims a name that another machine has. */
export interface AliasConflict {
  readonly alias: Alias;
  readonly heldBy: string;
}
