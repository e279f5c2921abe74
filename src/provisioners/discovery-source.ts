import type { HardwareDetails } from '../api/index.ts';
import type { Outcome } from './provisioner.ts';

/** A machine that a provisioner knows, whoever told it of that machine. */
export interface KnownMachine {
  /** The provisioner's own id of it. */
  readonly id: string;
  /** The MAC that it boots from, in lower case with colons: the first NIC where nothing says which one. */
  readonly bootMac: string;
  /** All of its MACs, the first one included. */
  readonly macs: readonly string[];
  /** True where the machine came by itself, and nobody registered it. */
  readonly isAutoDiscovered: boolean;
  /** When it came, where that is known, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** True where somebody else has it: no host is made of it, whoever asks for that. */
  readonly isClaimed?: true | undefined;
}

/** What a machine has told of itself. */
export interface MachineDetails {
  readonly hardware: HardwareDetails;
  readonly hostname?: string | undefined;
  readonly ip?: string | undefined;
  readonly serialNumber?: string | undefined;
}

/** A machine that was not let in. */
export interface RefusedMachine {
  /** The MAC that it was refused for, or the address that it came from where it told none that could be read. */
  readonly mac: string;
  readonly macs: readonly string[];
  /** In words for whoever looks after the machines. */
  readonly reason: string;
  /** Since when it tries, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly times: number;
}

/** Where machines become known without anybody registering them. Asking changes nothing. */
export interface DiscoverySource {
  /** Every machine, cheaply: it is asked again and again. */
  list(): Promise<Outcome<readonly KnownMachine[]>>;
  /** What one machine has told; undefined while it has told nothing. */
  read(id: string): Promise<Outcome<MachineDetails | undefined>>;
  /** Machines that came and were refused lately, where the source refuses any. */
  refused?(): Promise<Outcome<readonly RefusedMachine[]>>;
}
