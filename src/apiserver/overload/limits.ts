import { usualConnections } from '../../kube/index.ts';

/** Of one kind of requests: how many at once, and how many may wait. */
export interface LaneLimits {
  /** Requests worked on at once. */
  readonly seats: number;
  /** How many of the seats one client may have, so that a slow one cannot sit on all of them. */
  readonly seatsPerClient: number;
  readonly waiting: number;
  readonly waitingPerClient: number;
  /** Who waited this long is sent away. */
  readonly longestWaitMs: number;
}

/** Of connections: how many, and how long they may take over what they send. */
export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly handshakeMs: number;
  /** From the connection, or the request before, to the end of the headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** How often it is looked for connections that have taken too long. */
  readonly checkMs: number;
  /** The request line and the headers together; selectors may name thousands of values. */
  readonly headerBytes: number;
}

/** Of watches: what a client may let pile up. */
export interface WatchLimits {
  readonly watchesPerClient: number;
  /** Changes that wait for one client, in bytes. */
  readonly waitingBytes: number;
  /** History that waits for all clients together, in bytes: it may have been read from disk for them. */
  readonly historyBytes: number;
  /** A client that has taken nothing for this long is cut off. */
  readonly stallMs: number;
}

/** Of requests that take long: what other threads do of them, and how much of the main thread's time each client may have. */
export interface HeavyLimits {
  /** Threads that read large bodies and write large answers, and how many of them one client may keep busy. */
  readonly threads: number;
  readonly threadsPerClient: number;
  readonly waiting: number;
  readonly waitingPerClient: number;
  readonly longestWaitMs: number;
  /** A thread that takes longer over one text is ended. */
  readonly taskMs: number;
  readonly threadMebibytes: number;
  /** A thread without work ends after this long. */
  readonly idleMs: number;
  /** The most fields and elements that a large body may have. */
  readonly mostValues: number;
  /** Values of heavy requests that a client may have worked on at once, and how many each second after that. */
  readonly savedValues: number;
  readonly valuesPerSecond: number;
}

/** What one client, or all of them together, may take of the server. */
export interface OverloadLimits {
  readonly reads: LaneLimits;
  readonly writes: LaneLimits;
  /** Leases that one client may be working on without waiting for anybody. */
  readonly leasesPerClient: number;
  /** Bodies of requests that are read or wait, in bytes. */
  readonly bodyBytes: number;
  /** The same, of one client. */
  readonly bodyBytesPerClient: number;
  /** How long the requests of one turn of the event loop may run before it is looked who else has asked. */
  readonly turnMs: number;
  /** A client that has not taken its answer by then is cut off. */
  readonly answerMs: number;
  readonly connection: ConnectionLimits;
  readonly watch: WatchLimits;
  readonly heavy: HeavyLimits;
}

/** Parts of the limits; what is left out is as usual. */
export type GivenLimits = { readonly [K in keyof OverloadLimits]?: Partial<OverloadLimits[K]> };

const mebibyte = 1024 * 1024;

const queue = { waiting: 4096, waitingPerClient: 512, longestWaitMs: 15_000 };

/**
 * What holds unless told otherwise. Reads are answered from memory within a turn and keep a seat only while a webhook
 * converts or a large answer is taken; writes are committed together, so that many at once are faster than few.
 */
export const usualLimits: OverloadLimits = {
  reads: { seats: 32, seatsPerClient: 16, ...queue },
  writes: { seats: 256, seatsPerClient: 128, ...queue },
  leasesPerClient: 16,
  bodyBytes: 64 * mebibyte,
  bodyBytesPerClient: 24 * mebibyte,
  turnMs: 10,
  answerMs: 60_000,
  connection: {
    ...usualConnections,
    handshakeMs: 10_000,
    headersMs: 20_000,
    requestMs: 60_000,
    checkMs: 5_000,
    headerBytes: mebibyte,
  },
  watch: {
    watchesPerClient: 1000,
    waitingBytes: 16 * mebibyte,
    historyBytes: 128 * mebibyte,
    stallMs: 60_000,
  },
  heavy: {
    threads: 2,
    threadsPerClient: 1,
    waiting: 64,
    waitingPerClient: 8,
    longestWaitMs: 60_000,
    taskMs: 30_000,
    threadMebibytes: 512,
    idleMs: 10_000,
    mostValues: 100_000,
    savedValues: 400_000,
    valuesPerSecond: 2_500,
  },
};

/** The usual limits with those given in their place. */
export function withUsualLimits(given: GivenLimits = {}): OverloadLimits {
  const { leasesPerClient, bodyBytes, bodyBytesPerClient, turnMs, answerMs } = usualLimits;
  return {
    leasesPerClient: given.leasesPerClient ?? leasesPerClient,
    bodyBytes: given.bodyBytes ?? bodyBytes,
    bodyBytesPerClient: given.bodyBytesPerClient ?? bodyBytesPerClient,
    turnMs: given.turnMs ?? turnMs,
    answerMs: given.answerMs ?? answerMs,
    reads: { ...usualLimits.reads, ...given.reads },
    writes: { ...usualLimits.writes, ...given.writes },
    connection: { ...usualLimits.connection, ...given.connection },
    watch: { ...usualLimits.watch, ...given.watch },
    heavy: { ...usualLimits.heavy, ...given.heavy },
  };
}
