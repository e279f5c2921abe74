import type { Clock, Random } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { EngineLimits } from './engine.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { Hints } from './hints.ts';
import type { KindTable } from './kind-table.ts';
import type { EngineSettings } from './settings.ts';
import type { Database } from './store/database.ts';
import type { InTurn } from './turns.ts';

/** What the parts of one engine share. */
export interface EngineContext {
  readonly database: Database;
  readonly kinds: KindTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: EngineSettings;
  /** As set now; asked anew each time. */
  limits(): EngineLimits;
  readonly hints: Hints;
  /** For what creates and ends conditions, so that they do not get into each other's way in the store. */
  readonly inTurn: InTurn;
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
  /** A new id, given the store's time. */
  newId(now: number): string;
}
