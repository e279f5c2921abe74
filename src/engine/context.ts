import type { Clock, Random } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { UrlSealer } from './conditions/sealed-urls.ts';
import type { EngineLimits } from './engine.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { Hints } from './hints.ts';
import type { KindTable } from './kind-table.ts';
import type { ClockWatch } from './leases/clock-watch.ts';
import type { EngineSettings } from './settings.ts';
import type { Database, Transaction } from './store/database.ts';

/** What the parts of one engine share. */
export interface EngineContext {
  /** Its rows come with their URLs opened. */
  readonly database: Database;
  /** Without one, URLs with a log-in are refused. */
  readonly sealer: UrlSealer | undefined;
  readonly kinds: KindTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: EngineSettings;
  /** As set now; asked anew each time. */
  limits(): EngineLimits;
  readonly hints: Hints;
  /** A write that locks what it decides on, as `conditions/lock-lines.ts` says. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  readonly clockWatch: ClockWatch;
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
  /** A new id, given the store's time. */
  newId(now: number): string;
}
