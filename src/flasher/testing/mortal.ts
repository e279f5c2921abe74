import type { GateLane, GateReply, GateRequest, Gates } from '../../bmc/index.ts';

/** For tests: the end of a process. */
export class Killed extends Error {
  constructor() {
    super('killed');
    this.name = 'Killed';
  }
}

/** For tests: a process that ends at a given moment, and does nothing more then. */
export interface Mortal {
  readonly isDead: boolean;
  readonly signal: AbortSignal;
  /** Ends it now. */
  die(): void;
  /** A moment at which it may end: after something became durable, or after the BMC did something. */
  moment(what: string): void;
  /** How many moments there were, and what they were. */
  readonly moments: readonly string[];
  /** Its gates: nothing passes once it is dead. */
  gates(gates: Gates): Gates;
  /** Resolves when the log-outs are over that nobody else waits for. */
  loggedOut(): Promise<void>;
}

/** For tests: makes a process that ends at moment number `at`, or at the first that is meant; one that lives on unless given. */
export function createMortal(at?: number | ((what: string) => boolean)): Mortal {
  const death = new AbortController();
  const moments: string[] = [];
  const logOuts = new Set<Promise<void>>();
  const throwIfDead = (): void => {
    if (death.signal.aborted) throw death.signal.reason;
  };
  const moment = (what: string): void => {
    throwIfDead();
    moments.push(what);
    const isEnd = typeof at === 'function' ? at(what) : moments.length - 1 === at;
    if (isEnd) death.abort(new Killed());
    throwIfDead();
  };
  const mortalLane = (lane: GateLane): GateLane => ({
    origin: lane.origin,
    endpoint: lane.endpoint,
    get sessionUri() {
      return lane.sessionUri;
    },
    get state() {
      return lane.state;
    },
    async request(request: GateRequest): Promise<GateReply> {
      throwIfDead();
      const reply = await lane.request(request);
      throwIfDead();
      if (request.isDisruptive === true) moment(`${request.method} ${request.path}`);
      return reply;
    },
    openEventStream: (path, signal, headers) => lane.openEventStream(path, signal, headers),
    expectOutage: () => lane.expectOutage(),
    async logOut() {
      throwIfDead();
      const logOut = lane.logOut();
      logOuts.add(logOut);
      await logOut.finally(() => logOuts.delete(logOut));
    },
  });
  return {
    get isDead() {
      return death.signal.aborted;
    },
    signal: death.signal,
    die: () => death.abort(new Killed()),
    moments,
    moment,
    gates: (gates) => ({
      get states() {
        return gates.states;
      },
      close: () => gates.close(),
      open: (endpoint, caller) => mortalLane(gates.open(endpoint, caller)),
    }),
    async loggedOut() {
      await Promise.allSettled(logOuts);
    },
  };
}
