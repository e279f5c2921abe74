import type { Bmc, VendorName } from '../bmc.ts';

/** What of the contract a BMC can be held to. A part that is left out is not tried. */
export interface TargetCapabilities {
  /** Reset types beyond on and off. */
  readonly hasReset?: boolean;
  /** The operating system obeys a graceful shutdown. */
  readonly hasGracefulShutdown?: boolean;
  /** The end of POST can be seen. */
  readonly hasBootProgress?: boolean;
  readonly hasBootOverride?: boolean;
  /** BIOS settings that take effect `on-reset`, or as soon as they are written. */
  readonly bios?: 'on-reset' | 'at-once';
  readonly hasVirtualMedia?: boolean;
  readonly hasManagerReset?: boolean;
  readonly hasSecureBoot?: boolean;
  readonly hasIndicator?: boolean;
  readonly hasFirmware?: boolean;
  readonly hasEventStream?: boolean;
  /** LLDP neighbours of linked ports. */
  readonly hasNeighbours?: boolean;
}

/** What the machine behind the BMC is made of, as far as whoever set it up knows. */
export interface TargetHardware {
  readonly vendor: VendorName;
  readonly uuid: string;
  readonly processors?: number;
  readonly memory?: number;
  readonly drives?: number;
  /** In lower case. */
  readonly macs?: readonly string[];
  readonly biosVersion?: string;
  readonly bmcVersion?: string;
}

/** A BMC that runs and can be tried. Its host may be switched at will. */
export interface RunningTarget {
  readonly capabilities: TargetCapabilities;
  readonly hardware: TargetHardware;
  /** An image that the BMC can be told to insert. */
  readonly mediumUri: string;
  /** Does work as one process would, with gates of its own that are closed at the end. */
  asProcess<T>(work: (bmc: Bmc) => Promise<T>): Promise<T>;
  /** How many sessions the BMC holds; undefined where nobody can tell from outside. */
  countSessions?(): Promise<number>;
  close(): Promise<void>;
}

/** A kind of BMC that the contract runs on. */
export interface ContractTarget {
  readonly name: string;
  readonly capabilities: TargetCapabilities;
  start(): Promise<RunningTarget>;
}
