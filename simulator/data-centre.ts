import type { FaultRule } from './faults/fault.ts';
import type { AgentTarget } from './hosts/agent-link.ts';
import type { Host } from './hosts/host.ts';
import type { Machine } from './machine/machine.ts';
import type { PersonalityName } from './personalities/personality.ts';
import type { Fabric } from './switches/fabric.ts';
import type { SimClock } from './time/sim-clock.ts';

/** What kind of data centre to switch on. */
export interface DataCentreOptions {
  /** One seed, one history. */
  readonly seed: number;
  readonly servers: number;
  /** Servers are spread over them; 40 a rack unless given. */
  readonly racks?: number;
  /** Simulated milliseconds that pass in a real one; 1 unless given. Ignored when a clock is given. */
  readonly speed?: number;
  readonly clock?: SimClock;
  /** Cycled through; all unless given. */
  readonly personalities?: readonly PersonalityName[];
  readonly faults?: readonly FaultRule[];
  /**
   * `address`: every BMC at an address of its own in 127/8, all on one port. `port`: all at one address, a port each.
   * `address` unless the machine has no such addresses.
   */
  readonly addressing?: 'address' | 'port';
  /** The address of `port` addressing: `127.0.0.1` unless given, `::1` works too. */
  readonly host?: string;
  /** The one port, or the first; free ones are found unless given. */
  readonly port?: number;
  /** Plain HTTP instead of TLS. */
  readonly isPlain?: boolean;
  /** Start with all hosts on. */
  readonly arePoweredOn?: boolean;
  /** Also log every GET. */
  readonly doesLogReads?: boolean;
  /** Whom the agents of network-booted hosts report to; without it a network boot finds nothing. */
  readonly agent?: AgentTarget;
  /** Untagged VLAN of the ports of boot NICs out of the box, where boot servers are; 100 unless given. */
  readonly provisioningVlan?: number;
}

/** A BMC that can be asked. */
export interface RunningBmc {
  readonly name: string;
  /** `https://127.0.1.7:8443`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** `/redfish/v1/Systems/System.Embedded.1`. */
  readonly systemPath: string;
  readonly machine: Machine;
  /** SHA-256 of the certificate it shows now, as `AB:CD:...`; undefined on plain HTTP. */
  fingerprint(): Promise<string | undefined>;
}

/** A data centre that runs. */
export interface DataCentre {
  readonly seed: number;
  readonly clock: SimClock;
  readonly bmcs: readonly RunningBmc[];
  /** The authority that signed every BMC's certificate; undefined on plain HTTP. */
  readonly caPem: string | undefined;
  bmc(name: string): RunningBmc;
  /** Replaces all fault rules; takes effect with the next opportunity. */
  setFaults(rules: readonly FaultRule[]): void;
  readonly faults: readonly FaultRule[];
  /** The switches and who is plugged in where. */
  readonly fabric: Fabric;
  /** What runs on each server, in the order of `bmcs`. */
  readonly hosts: readonly Host[];
  /** Changes whom agents report to; those that run go on as they are. */
  setAgent(target: AgentTarget | undefined): void;
  close(): Promise<void>;
}
