/** What can be tuned. */
export interface DiscoverySettings {
  /** Where claims are kept: one namespace for the whole API. */
  readonly claimNamespace: string;
  /** A host is created within so long of its claim, or the claim is taken anew. */
  readonly createWithinMs: number;
  /** The deadline of one request that creates a host. */
  readonly requestMs: number;
  /**
   * A claim that names another host, which is not there, is taken over once nothing happened to it for so long: by then
   * no request of whoever wrote it can still be on its way.
   */
  readonly retakeMs: number;
  /** A claim of a machine that nobody knows any more goes after so long. */
  readonly forgetMs: number;
  /** How many machines are asked for their details in one poll; the rest are asked in the next. */
  readonly readsPerPoll: number;
  /** How many requests are under way at once for one BareMetalHostDiscovery. */
  readonly concurrency: number;
  /** The least time until a source that did not answer is asked again. */
  readonly retryMs: number;
  /** Changes of hosts are gathered for so long before classifications are counted anew. */
  readonly gatherMs: number;
  /** What is said where there is no source: why, and what to do about it. */
  readonly noSource: string;
}

/** The settings unless told otherwise. */
export const defaultDiscoverySettings: DiscoverySettings = {
  claimNamespace: 'rackwright-system',
  createWithinMs: 15_000,
  requestMs: 30_000,
  retakeMs: 120_000,
  forgetMs: 600_000,
  readsPerPoll: 2_000,
  concurrency: 16,
  retryMs: 5_000,
  gatherMs: 500,
  noSource: 'The provisioner of this process cannot tell of machines that nobody has registered.',
};
