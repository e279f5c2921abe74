import type { FaultRule, MachineTimings, PersonalityName } from '../../simulator/index.ts';

/** What the process of the simulator is started with. */
export interface FleetOrder {
  readonly seed: number;
  readonly servers: number;
  readonly speed: number;
  readonly personalities?: readonly PersonalityName[];
  /** In place of those of its vendor, and then without variation. */
  readonly timings?: Partial<MachineTimings>;
  /** Reads are not logged, for runs in which they would fill the log. */
  readonly isWithoutReads?: boolean;
}

/** An image that is newer than what a server has. */
export interface Release {
  readonly component: string;
  readonly version: string;
  readonly vendor: string;
  readonly softwareId: string;
  readonly models: readonly string[];
  readonly url: string;
  readonly sha256: string;
  /** Where it will be written. */
  readonly slots: readonly string[];
}

/** A simulated server, as far as whoever works on it is told. */
export interface FleetServer {
  readonly name: string;
  readonly uuid: string;
  readonly serial: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly systemPath: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly personality: PersonalityName;
  readonly releases: readonly Release[];
}

/** What is asked of the process of the simulator, a line each. */
export type FleetRequest =
  | { readonly ask: 'prepare'; readonly off: readonly string[]; readonly faults: readonly FaultRule[] }
  | { readonly ask: 'histories'; readonly path: string };

/** What happened to one server, from the simulator's own log, and how it stands. */
export interface MachineHistory {
  readonly name: string;
  readonly events: readonly { readonly atMs: number; readonly event: string; readonly detail: string }[];
  /** Events that the log has dropped. */
  readonly dropped: number;
  readonly firmware: readonly { readonly slot: string; readonly version: string }[];
  readonly power: string;
}
