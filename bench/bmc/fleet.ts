/** A data centre to start. */
export interface FleetOrder {
  readonly seed: number;
  readonly servers: number;
  readonly isPlain: boolean;
  /** Keep a list of what was read; costs memory. */
  readonly doesLogReads: boolean;
}

/** A BMC to read. */
export interface FleetBmc {
  readonly name: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** How many parts it has, to check that all were read. */
  readonly parts: {
    readonly dimms: number;
    readonly drives: number;
    readonly ports: number;
    /** Slots, however often the vendor lists each. */
    readonly firmware: number;
  };
}

/** A data centre that runs in a process of its own. */
export interface SimulatedFleet {
  /** Memory of its process before there was any BMC. */
  readonly idleMiB: number;
  readonly caPem: string | undefined;
  readonly bmcs: readonly FleetBmc[];
}

/** Inventories to take. */
export interface InventoryOrder extends SimulatedFleet {
  /** BMCs read at once. */
  readonly atOnce: number;
}

/** What inventories took. */
export interface InventoryCost {
  readonly bmcs: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly requests: number;
  /** The most memory the process had. */
  readonly maxRssMiB: number;
  /** Memory before the first request. */
  readonly idleRssMiB: number;
  readonly gaps: number;
}
