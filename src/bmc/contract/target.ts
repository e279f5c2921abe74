import type { Bmc, VendorName } from '../bmc.ts';
import type { InstallGoal } from '../update/testing/install-until-verified.ts';

/** What of the contract a BMC can be held to. A part that is left out is not tried. */
export interface TargetCapabilities {
  /** Reset types beyond on and off. */
  readonly hasReset?: boolean;
  /** The operating system obeys a graceful shutdown. */
  readonly hasGracefulShutdown?: boolean;
  /** The end of POST can be seen. */
  readonly hasBootProgress?: boolean;
  /** A boot override `once` and always, or only `lasting`: it stays until it is set anew, and cannot be taken back. */
  readonly bootOverride?: 'once' | 'lasting';
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
  /** Its BIOS can be updated. */
  readonly hasUpdate?: boolean;
}

/** Everything that can be lacking. A record, so that the compiler misses what is not listed. */
const allCapabilities: Readonly<Record<keyof TargetCapabilities, true>> = {
  hasReset: true,
  hasGracefulShutdown: true,
  hasBootProgress: true,
  bootOverride: true,
  bios: true,
  hasVirtualMedia: true,
  hasManagerReset: true,
  hasSecureBoot: true,
  hasIndicator: true,
  hasFirmware: true,
  hasEventStream: true,
  hasNeighbours: true,
  hasUpdate: true,
};

/** What of the contract is not tried on a BMC, in the order of the alphabet. */
export function lackedBy(capabilities: TargetCapabilities): readonly string[] {
  const names = Object.keys(allCapabilities) as (keyof TargetCapabilities)[];
  return names.filter((name) => (capabilities[name] ?? false) === false).sort();
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
  /** Paths that the BMC links to and does not have. */
  readonly missing?: readonly string[];
}

/** A BMC that runs and can be tried. Its host may be switched at will. */
export interface RunningTarget {
  readonly capabilities: TargetCapabilities;
  readonly hardware: TargetHardware;
  /** An image that the BMC can be told to insert. */
  readonly mediumUri: string;
  /** Does work as one process would, with gates of its own that are closed at the end. */
  asProcess<T>(work: (bmc: Bmc) => Promise<T>): Promise<T>;
  /** The next version of the BIOS; needed for `hasUpdate`. */
  biosUpdate?(): Promise<InstallGoal>;
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
