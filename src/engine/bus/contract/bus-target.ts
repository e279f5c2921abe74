import type { Bus } from '../bus.ts';

/** A bus under test, as seen by several processes, and the time its signs of life go by. */
export interface BusTarget {
  /** One more view of the same bus, as another process has it; the same one where there is but one process. */
  open(): Promise<Bus>;
  /** Moves the clock of signs of life, where it does not go by itself. */
  passTime(ms: number): void;
  close(): Promise<void>;
}
