/** One thing that happened to a machine, in simulated time. */
export interface LoggedEvent {
  /** Simulated milliseconds since the data centre was switched on. */
  readonly atMs: number;
  /** `power.on`, `post.done`, `update.flashing`, `request` ... */
  readonly event: string;
  /** Stable text: `slot=BIOS.Setup.1-1 version=2.1.0`. Never a secret. */
  readonly detail: string;
}

/** What happened to one machine. Two runs with one seed and the same requests at the same simulated times give the same log. */
export interface EventLog {
  readonly events: readonly LoggedEvent[];
  /** How many there ever were; the oldest may have been dropped. */
  readonly count: number;
  add(event: string, detail?: string): void;
  /** One line an event. */
  text(): string;
}
