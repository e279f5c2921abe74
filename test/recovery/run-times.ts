import type { GateSettings } from '../../src/bmc/index.ts';
import type { EngineSettings } from '../../src/engine/index.ts';

/** Where all servers of a run are. */
export const facility = 'fc1';

/** The token of workers over HTTP. */
export const workerToken = 'worker';

const minute = 60_000;

/** Leases are short, but longer than any request; the quiet after a lost one is as long as a request may take. */
export const kindTimes = { leaseMs: 6 * minute, requestDeadlineMs: 2 * minute };

/** In fast time even a busy machine must not look like a BMC that does not answer. */
export const gateSettings: Partial<GateSettings> = { deadlineMs: minute, connectMs: 40_000, leaseFreshMs: 20_000 };

/** The intervals of the engine. */
export const settings: Partial<EngineSettings> = {
  pollMs: minute,
  controllerLostMs: 5 * minute,
  publishEveryMs: minute,
};

/** The intervals of workers. */
export const workerTimes = { heartbeatMs: minute, waitMs: 2 * minute };

/** How often the engine is swept. */
export const sweepMs = 30_000;

/** A stopped process lets go of rows in the store before its leases end; this one is real time. */
export const stalledMs = 1000;
