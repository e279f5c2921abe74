/** What can be tuned; the defaults are what Metal3 users know. */
export interface HostSettings {
  /** Attempts at provisioning one image before it waits for somebody; 0 for no limit. */
  readonly maxProvisioningRetries: number;
  /** Failures while leaving before the next step is taken all the same. */
  readonly maxLeavingFailures: number;
  /** How often a host at rest is looked at for its power. */
  readonly powerPollMs: number;
  /** How often a host that is not managed, or detached, is looked at. */
  readonly unmanagedPollMs: number;
  /** The wait for a Secret that is not there. */
  readonly secretRetryMs: number;
  /** The wait for companions that are not up to date; their change wakes the host sooner. */
  readonly companionWaitMs: number;
  /** The wait for an image to boot hosts with. */
  readonly bootImageWaitMs: number;
  /** How long the Node behind a host may take to be drained, where the host does not say. */
  readonly drainLimitMs: number;
  /** How often firmware is read: at rest, and while a change of settings waits. */
  readonly firmwarePollMs: number;
  readonly firmwareChangePollMs: number;
  /** A FirmwareSchema that nothing refers to goes after so long. */
  readonly schemaKeepMs: number;
  /** Every object is looked at again this often, should anything have been missed. */
  readonly resyncMs: number;
}

const minuteMs = 60_000;

/** The settings unless told otherwise. */
export const defaultHostSettings: HostSettings = {
  maxProvisioningRetries: 5,
  maxLeavingFailures: 3,
  powerPollMs: minuteMs,
  unmanagedPollMs: 10 * minuteMs,
  secretRetryMs: 10_000,
  companionWaitMs: minuteMs,
  bootImageWaitMs: 5 * minuteMs,
  drainLimitMs: 60 * minuteMs,
  firmwarePollMs: 5 * minuteMs,
  firmwareChangePollMs: minuteMs,
  schemaKeepMs: 10 * minuteMs,
  resyncMs: 60 * minuteMs,
};
