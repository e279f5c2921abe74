/** Where the API server is, as the process of the controllers is told. */
export interface ControllersOrder {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  /** How long a job takes from its acceptance to its report. */
  readonly jobMs: number;
}

/** What that process is asked on a line; it answers with one line. */
export type ControllersCommand =
  /** Begins to work; answers when the caches are full. */
  | { readonly do: 'start' }
  /** Answers when so many servers have the versions of a round and say that they are up to date. */
  | { readonly do: 'await'; readonly version: string; readonly servers: number }
  /** Forgets the most memory that was used so far, as far as that can be forgotten. */
  | { readonly do: 'mark' }
  | { readonly do: 'cost' };

/** What the controllers took since the last mark. */
export interface ControllersCost {
  readonly cpuMs: number;
  /** The most memory since the mark, sampled. */
  readonly peakMiB: number;
  /** What is left of the heap when everything that is not needed was collected. */
  readonly settledMiB: number;
  /** Jobs that were accepted. */
  readonly jobs: number;
}
