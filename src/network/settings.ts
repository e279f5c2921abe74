/** What can be tuned. */
export interface NetworkSettings {
  /** How long one call to a switch may take before it counts as failed. */
  readonly callMs: number;
  /** How long a switch may still carry out a change whose end nobody heard of, once it answers again. */
  readonly settleMs: number;
  /** How long changes to one switch are gathered, so that those that come together go together. */
  readonly gatherMs: number;
  /** How many ports one call carries at most, where a switch takes several. */
  readonly batchSize: number;
  /** How often a port is read though nothing changed. */
  readonly driftMs: number;
  /** How often a switch is asked whether it is there and takes the credentials. */
  readonly verifyMs: number;
  /** The wait before a failed call is tried again; it doubles. */
  readonly retryFromMs: number;
  readonly retryToMs: number;
  /** After so many refusals of one goal it waits for a change; a switch that cannot be reached is tried for ever. */
  readonly maxAttempts: number;
  /** A status says when a device was last heard of to this precision only: it would be written all the time. */
  readonly stampMs: number;
  /** Every object is looked at again this often, should anything have been missed. */
  readonly resyncMs: number;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** The settings unless told otherwise. */
export const defaultNetworkSettings: NetworkSettings = {
  callMs: 2 * minuteMs,
  settleMs: minuteMs,
  gatherMs: 20,
  batchSize: 64,
  driftMs: minuteMs,
  verifyMs: minuteMs,
  retryFromMs: 2 * secondMs,
  retryToMs: minuteMs,
  maxAttempts: 5,
  stampMs: 10 * minuteMs,
  resyncMs: 60 * minuteMs,
};
