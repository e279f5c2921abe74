/** How much a BMC bears. */
export interface MachineLimits {
  readonly sessions: number;
  readonly sessionTimeoutMs: number;
  /** Bad log-ins in a row before the account is locked; 0: never. */
  readonly lockoutThreshold: number;
  readonly lockoutMs: number;
  readonly subscriptions: number;
  /** Finished tasks that are kept. */
  readonly tasks: number;
}

/** How long things take, in simulated milliseconds. The machine varies each by up to a tenth, from its own seed. */
export interface MachineTimings {
  readonly powerOnMs: number;
  readonly postMs: number;
  /** From the end of POST until the operating system runs. */
  readonly osBootMs: number;
  readonly gracefulShutdownMs: number;
  readonly forceOffMs: number;
  /** How long the BMC is away when it restarts. */
  readonly managerResetMs: number;
  readonly downloadMs: number;
  readonly verifyMs: number;
  /** Flash time by component; `other` for those not named. */
  readonly flashMs: Readonly<{ bmc: number; bios: number; other: number }>;
}
