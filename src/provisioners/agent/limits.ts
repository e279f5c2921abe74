/** How often somebody may come: so often at once, and then so many a second. */
export interface Pace {
  readonly burst: number;
  readonly perSecond: number;
}

/** What the endpoint for agents takes before it refuses. */
export interface AgentLimits {
  /** Requests of any kind from one address. */
  readonly perPeer: Pace;
  /** Introductions with the right token, from wherever. */
  readonly introductions: Pace;
  /** Addresses whose requests are counted; past that the one that was quiet for longest starts anew. */
  readonly peers: number;
  /** Machines that no host has; past that the one that came first is forgotten. */
  readonly unclaimed: number;
  /** Refusals that are remembered to be shown. */
  readonly refusals: number;
  /** The largest introduction. */
  readonly bodyBytes: number;
}

/** A row of racks behind one address may be switched on at once. */
export const defaultAgentLimits: AgentLimits = {
  perPeer: { burst: 3000, perSecond: 300 },
  introductions: { burst: 2000, perSecond: 200 },
  peers: 4096,
  unclaimed: 10_000,
  refusals: 200,
  bodyBytes: 256 * 1024,
};

/** How long things take and last, in milliseconds. */
export interface AgentTimes {
  /** The longest that a question for work is left open. */
  readonly waitMs: number;
  /** An agent that was not heard of for so long is gone. */
  readonly silenceMs: number;
  /** A machine that was started from the network has its agent speak by then. */
  readonly bootMs: number;
  /** A token of an agent that was not renewed is good for so long. */
  readonly tokenMs: number;
  /** A command that has not ended by then has failed. */
  readonly commandMs: number;
  /** How often a host is looked at again while something goes on. */
  readonly pollMs: number;
}

/** These times unless others are given. */
export const defaultAgentTimes: AgentTimes = {
  waitMs: 30_000,
  silenceMs: 120_000,
  bootMs: 15 * 60_000,
  tokenMs: 24 * 3600 * 1000,
  commandMs: 3600 * 1000,
  pollMs: 5_000,
};
