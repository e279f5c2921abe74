import type { Tempo } from '../recovery/fast-time.ts';

/** What the process with the controllers, the engine and its workers is started with. */
export interface ControllersOrder {
  readonly kubeconfig: string;
  /** Where its store is; the next life goes on with it. */
  readonly dataDir: string;
  /** A file with the servers of the fleet. */
  readonly fleetPath: string;
  readonly tempo: Tempo;
  /** How many hosts may be serviced at once; 0: no limit. */
  readonly limit: number;
  /** True for the waits and intervals that ship, instead of those that suit fast time. */
  readonly isAsShipped?: boolean;
  /** A file that complaints are added to. */
  readonly logPath?: string;
}

/** What it answers to every line that it is sent. */
export interface ControllersReport {
  readonly say: 'report';
  /** Requests to BMCs in this life. */
  readonly bmcRequests: number;
  readonly cpuMs: number;
  readonly maxRssMiB: number;
}
