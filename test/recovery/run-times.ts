import type { GateSettings } from '../../src/bmc/index.ts';
import type { EngineSettings, WorkerOptions } from '../../src/engine/index.ts';
import type { FlasherKindsOptions, InstallSettings } from '../../src/flasher/index.ts';

/** Where all servers of a run are. */
export const facility = 'fc1';

/** The token of workers over HTTP. */
export const workerToken = 'worker';

const minute = 60_000;

/** The times of all processes of a run. */
export interface RunTimes {
  readonly kinds: FlasherKindsOptions;
  readonly gate: Partial<GateSettings>;
  readonly engine: Partial<EngineSettings>;
  readonly worker: Pick<WorkerOptions, 'heartbeatMs' | 'waitMs'>;
  readonly install: Partial<InstallSettings>;
  /** How often the engine is swept. */
  readonly sweepMs?: number;
  /** A stopped process lets go of rows in the store before its leases end; this one is real time. */
  readonly stalledMs?: number;
}

/** Leases are short, but longer than any request; the quiet after a lost one is as long as a request may take. */
export const kindTimes = { leaseMs: 6 * minute, requestDeadlineMs: 2 * minute };

/** Times for a clock that goes thirty times as fast: even a busy machine must not look like a BMC that does not answer. */
export const fastTimes: RunTimes = {
  kinds: kindTimes,
  gate: { deadlineMs: minute, connectMs: 40_000, leaseFreshMs: 20_000 },
  engine: { pollMs: minute, controllerLostMs: 5 * minute, publishEveryMs: minute },
  worker: { heartbeatMs: minute, waitMs: 2 * minute },
  install: { tellEveryMs: 60_000 },
  sweepMs: 30_000,
  stalledMs: 1000,
};

/** What operators get. */
export const defaultTimes: RunTimes = { kinds: {}, gate: {}, engine: {}, worker: {}, install: {} };
