import type { Clock } from '../kube/index.ts';
import type { GateLane } from './gate/gate.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Vendors whose ways are known; `generic` follows the standard alone. */
export type VendorName = 'dell' | 'hpe' | 'lenovo' | 'supermicro' | 'openbmc' | 'ami' | 'nvidia' | 'generic';

/** What the service root says, read once a connection. */
export interface ServiceRoot {
  readonly vendor: VendorName;
  readonly redfishVersion: string;
  readonly uuid: string | undefined;
  readonly product: string | undefined;
  /** `$expand=*($levels=1)` may be used. */
  readonly hasExpand: boolean;
  /** The query that expands members as this BMC wants it; absent where it cannot. */
  readonly expandQuery?: string;
  readonly systems: string;
  readonly chassis: string | undefined;
  readonly managers: string | undefined;
  readonly updateService: string | undefined;
  readonly tasks: string | undefined;
  readonly eventService: string | undefined;
  readonly registries: string | undefined;
  readonly body: JsonObject;
}

/** What was learned of a BMC while talking to it. Lives as long as the connection; a reset of the BMC clears it. */
export interface BmcNotes {
  /** The root as it says of itself. */
  root?: Promise<ServiceRoot>;
  vendor?: VendorName;
  /** Paths where `$expand` is advertised but answered wrongly; with several it is not tried any more. */
  unexpandable?: Set<string>;
  /** Where the only system is. A link that leads nowhere any more is looked for anew; what is there is always asked. */
  onlySystem?: string;
  /** Where tasks are listed. */
  taskCollection?: string;
}

/** A BMC as the rest of the program sees it: a way in, and what is known of it. Operations are functions that take one. */
export interface Bmc {
  readonly gate: GateLane;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** The system this is about; the only one of the BMC unless named (Metal3 addresses name it). */
  readonly systemPath: string | undefined;
  root(): Promise<ServiceRoot>;
  readonly notes?: BmcNotes;
}

/** What a piece of firmware runs on. */
export type ComponentType =
  | 'bmc'
  | 'bios'
  | 'cpld'
  | 'nic'
  | 'drive'
  | 'storage-controller'
  | 'psu'
  | 'gpu'
  | 'tpm'
  | 'other';

/** One place in a server that has firmware. Several may be of one type; all are listed. */
export interface FirmwareSlot {
  /** Stable name of the place, the vendor's where it has one: `BIOS.Setup.1-1`, `BMC-Primary`, `NIC.Slot.3-1-1`. */
  readonly slot: string;
  readonly component: ComponentType;
  readonly name: string;
  readonly vendor: string | undefined;
  readonly model: string | undefined;
  /** Of the part, where its own resource tells it. */
  readonly serial?: string;
  readonly version: string;
  /** Waits for a reset to become active. */
  readonly pendingVersion: string | undefined;
  /** Version that can be rolled back to. */
  readonly previousVersion: string | undefined;
  readonly isUpdateable: boolean;
  readonly softwareId: string | undefined;
  /** More of the vendor's own ids of what firmware it takes, where a BMC shows several: iLO's targets. */
  readonly otherSoftwareIds?: readonly string[];
  /** `@odata.id` of the inventory entry: what an update names as its target. */
  readonly uri: string;
  readonly relatedItems: readonly string[];
  readonly health: string | undefined;
  /** True for a spare bank that runs only when the main one fails: it need not have the main one's version. */
  readonly isBackup?: boolean;
}

/** A network interface of the host. */
export interface NetworkPort {
  readonly id: string;
  readonly mac: string;
  readonly adapter: string | undefined;
  readonly isLinkUp: boolean | undefined;
  readonly speedMbps: number | undefined;
  readonly neighbour: { readonly chassisId: string; readonly portId: string; readonly systemName?: string } | undefined;
}

/** All that a full inventory reads. */
export interface Inventory {
  readonly vendor: VendorName;
  /** The UUID of the service root; missing where it is of no use. */
  readonly serviceUuid?: string;
  readonly system: {
    readonly path: string;
    readonly uuid: string | undefined;
    readonly manufacturer: string | undefined;
    readonly model: string | undefined;
    readonly serial: string | undefined;
    readonly sku: string | undefined;
    readonly biosVersion: string | undefined;
    readonly powerState: string | undefined;
    readonly health: string | undefined;
  };
  readonly manager:
    | {
        readonly path: string;
        readonly firmwareVersion: string | undefined;
        readonly model: string | undefined;
        readonly macs: readonly string[];
        /** BMC clock less ours, in milliseconds; undefined when it says no time. */
        readonly clockOffsetMs: number | undefined;
      }
    | undefined;
  readonly processors: readonly {
    readonly id: string;
    readonly model: string | undefined;
    readonly cores: number | undefined;
    readonly threads: number | undefined;
    /** `CPU`, `GPU`, `FPGA` ... where it is said. */
    readonly type?: string;
  }[];
  readonly memory: readonly {
    readonly id: string;
    readonly capacityMib: number | undefined;
    readonly speedMhz: number | undefined;
    readonly partNumber: string | undefined;
    readonly serial: string | undefined;
  }[];
  readonly drives: readonly {
    readonly id: string;
    readonly model: string | undefined;
    readonly serial: string | undefined;
    readonly capacityBytes: number | undefined;
    readonly mediaType: string | undefined;
    readonly protocol: string | undefined;
    readonly firmwareVersion: string | undefined;
  }[];
  readonly ports: readonly NetworkPort[];
  readonly firmware: readonly FirmwareSlot[];
  /** What could not be read and why; the rest is good. */
  readonly gaps: readonly { readonly path: string; readonly reason: string; readonly mayPass?: boolean }[];
}

/** Members of a body the caller writes. */
export type JsonBody = { readonly [member: string]: JsonValue | undefined };
