import type { ConditionState, JsonObject } from '../../src/engine/index.ts';
import type { Tempo } from './fast-time.ts';

/** What a process that works is: everything in one; the engine alone; a worker on the shared store; a worker over HTTP. */
export type Role = 'embedded' | 'orchestrator' | 'worker' | 'remote-worker';

/** What a process of a run is started with. */
export interface WorkOrder {
  /** Of this life. */
  readonly name: string;
  readonly role: Role;
  readonly tempo: Tempo;
  readonly seed: number;
  /** Holds the fleet and the moments as JSON. */
  readonly fleetPath: string;
  readonly momentsPath: string;
  readonly passedPath: string;
  /** Shared by workers: images. With SQLite also the store. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  readonly workerApiUrl?: string;
  readonly concurrency: number;
  /** Nothing is set: times and intervals are those that operators get. */
  readonly areDefaults?: boolean;
  /** A file for its log; it keeps none unless given. */
  readonly logPath?: string;
  /** Loses, doubles and delays what goes over the bus. */
  readonly isBusUnreliable?: boolean;
  /** To see that the checks can fail: this worker takes no notice of lost leases, and nobody ends its sessions. */
  readonly isUnfenced?: boolean;
}

/** What the engine of a process is asked, a line each; each is answered by a line `answer` with the same id. */
export type DeskRequest =
  | { readonly id: number; readonly ask: 'create'; readonly target: string; readonly orders: readonly AskedWork[] }
  | { readonly id: number; readonly ask: 'list' }
  | { readonly id: number; readonly ask: 'events' };

/** What happened to the lease of a condition, by the clock of the store. */
export interface LeaseEvent {
  readonly at: number;
  readonly event: string;
  readonly conditionId: string;
  readonly target: string;
  readonly controller: string;
}

/** Work that is asked for on one server. */
export interface AskedWork {
  readonly kind: string;
  readonly parameters: JsonObject;
}

/** A condition, as far as a run looks at it. */
export interface SeenCondition {
  readonly id: string;
  readonly target: string;
  readonly kind: string;
  readonly state: ConditionState;
  readonly why: string;
  readonly leases: number;
}
