/** What can be tuned; the defaults are what the documents decided. */
export interface FirmwareSettings {
  /** After so many failed attempts at one desired list, it waits for somebody. */
  readonly maxAttempts: number;
  /** The wait before the second attempt at an update or scan; it doubles. */
  readonly retryFromMs: number;
  readonly retryToMs: number;
  /** An accepted request that nobody reported on for so long is asked for again when the object is looked at. */
  readonly resendAfterMs: number;
  /** A version that was not available is asked for again after so long, and when discovery has run. */
  readonly catalogueWaitMs: number;
  /** A group halts when so many of its servers failed its version, but not below the least. */
  readonly haltShare: number;
  readonly haltLeast: number;
  /** How long changes of servers are gathered before the status of their group is counted anew. */
  readonly gatherMs: number;
  /** How often a BMC is read though nothing changed. */
  readonly bmcIntervalMs: number;
  /** How often each system is asked for its power between two such readings. */
  readonly powerIntervalMs: number;
  /** How many BMCs are asked for power at once. */
  readonly powerReads: number;
  /** The wait after a BMC could not be read; it doubles. */
  readonly bmcRetryFromMs: number;
  readonly bmcRetryToMs: number;
  /** Every object is looked at again this often, should anything have been missed. */
  readonly resyncMs: number;
}

const minuteMs = 60_000;

/** The settings unless told otherwise. */
export const defaultFirmwareSettings: FirmwareSettings = {
  maxAttempts: 3,
  retryFromMs: minuteMs,
  retryToMs: 30 * minuteMs,
  resendAfterMs: 60 * minuteMs,
  catalogueWaitMs: 10 * minuteMs,
  haltShare: 0.05,
  haltLeast: 3,
  gatherMs: 500,
  bmcIntervalMs: 60 * minuteMs,
  powerIntervalMs: 3 * minuteMs,
  powerReads: 16,
  bmcRetryFromMs: 15_000,
  bmcRetryToMs: 15 * minuteMs,
  resyncMs: 60 * minuteMs,
};
