import type { Clock } from '../../src/kube/index.ts';

/** Simulated time. Every duration inside the simulator is in its milliseconds. */
export interface SimClock extends Clock {
  /** Simulated milliseconds since the data centre was switched on. */
  elapsedMs(): number;
  /**
   * A wait on behalf of a client whose request is being answered, such as a slow answer; ends early when aborted.
   * `party` is the machine's name: in stepped time its client counts as waiting meanwhile.
   */
  hold(party: string, delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Work in real time that simulated things wait for, such as a BMC that pulls an image over HTTP: stepped time stands
   * still until it is over. Scaled time goes on.
   */
  standStill<T>(work: Promise<T>): Promise<T>;
  /** Stops all timers. */
  close(): void;
}
