import type { FaultRule, MachineTimings } from '../../simulator/index.ts';

/** A data centre to start. */
export interface InstallFleetOrder {
  readonly seed: number;
  readonly servers: number;
  readonly isPlain: boolean;
  readonly timings: Partial<MachineTimings>;
  /** By index of the server. */
  readonly faults: readonly { readonly server: number; readonly rule: FaultRule }[];
  readonly imageBytes: number;
}

/** A server to install firmware on, with the image it gets. */
export interface BenchServer {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly bmcAddress: string;
  readonly username: string;
  readonly password: string;
  /** As a condition's parameters name it. */
  readonly firmware: Readonly<Record<string, string | readonly string[]>>;
}

/** A data centre that runs in a process of its own. */
export interface InstallFleet {
  readonly caPem: string | undefined;
  readonly servers: readonly BenchServer[];
}

/** What the simulator itself knows of a run. */
export interface SimulatorReport {
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** How often an image began to be written, by index of the server. */
  readonly flashes: readonly number[];
  /** How often a fault struck, by index of the server. */
  readonly struck: readonly number[];
  /** Servers that run the new version. */
  readonly updated: number;
}

/** How a worker process is started. */
export interface WorkerOrder {
  /** For the database, keys and images. */
  readonly folder: string;
  /** A PostgreSQL to use in place of a file in the folder. */
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  readonly caPem: string | undefined;
  readonly parallel: number;
  readonly flashMs: number;
  /** Runs what conditionOrc does by itself too. */
  readonly hasLoop: boolean;
}

/** What a worker process is told. */
export type WorkerCommand =
  | { readonly do: 'enrol' | 'order'; readonly servers: readonly BenchServer[] }
  | { readonly do: 'start' | 'mark' }
  /** The first so many are not told of: they were the warm-up. */
  | { readonly do: 'await'; readonly conditions: number; readonly skip?: number }
  | { readonly do: 'cost' };

/** What the work took in one process. */
export interface WorkerCost {
  readonly cpuMs: number;
  readonly statements: number;
  /** Transactions that the database asked for again. */
  readonly retries: number;
  readonly requests: number;
  /** Memory before the work, and the most there was. */
  readonly idleRssMiB: number;
  readonly maxRssMiB: number;
}

/** How all conditions ended. */
export interface WorkEnd {
  /** From the start of the workers to the end of the last condition, by the store's clock. */
  readonly seconds: number;
  readonly succeeded: number;
  readonly failures: readonly string[];
  /** How long a worker had each server's condition, in seconds, by the server's id. */
  readonly took: Readonly<Record<string, number>>;
}
