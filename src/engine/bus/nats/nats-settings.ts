import type { BackoffOptions } from '../../../kube/index.ts';
import { BusError } from '../errors.ts';

/** Times and sizes of the NATS bus that operators may set. */
export interface NatsSettings {
  /** Starts every subject, stream and bucket; fleets that share a NATS account need different ones. */
  readonly prefix: string;
  /** How long one attempt to connect to one server may take. */
  readonly dialTimeoutMs: number;
  /** How long opening the bus waits for a first connection before it goes on in the background. */
  readonly firstConnectMs: number;
  /** The delays between attempts to connect. */
  readonly reconnect: BackoffOptions;
  /** How often a silent connection is probed; it counts as dead after two probes without an answer. */
  readonly pingMs: number;
  /** How long publishing a hint of work may take before it is dropped, and reading signs of life before it fails. */
  readonly requestTimeoutMs: number;
  /** Hints of work that wait for an answer of NATS at once; more are dropped. */
  readonly mostInFlight: number;
  /** Hints of work that nobody took are dropped after so long. */
  readonly workMaxAgeMs: number;
  /** More hints of work than these push out the oldest ones. */
  readonly workMaxHints: number;
  /** How long NATS remembers a message, so that sending it again makes no second one. */
  readonly duplicateWindowMs: number;
  /** A hint of work that was not acknowledged for so long goes to somebody else. */
  readonly ackWaitMs: number;
  /** How many hints of work a taker lets NATS send ahead, for each facility and kind. */
  readonly prefetch: number;
  /** How often NATS says that it still holds a taker's order; two missed ones make the taker ask anew. */
  readonly heartbeatMs: number;
  /** Consumers that nobody used for so long are removed by NATS. */
  readonly consumerIdleMs: number;
  /** The longest life a sign of life can have. */
  readonly longestLifeMs: number;
  /** Copies that a NATS cluster keeps. */
  readonly replicas: number;
  /** Where hints of work wait: on disk they outlive a restart of NATS. */
  readonly storage: 'file' | 'memory';
}

const minute = 60_000;

/** What applies unless set. */
export const defaultNatsSettings: NatsSettings = {
  prefix: 'rackwright',
  dialTimeoutMs: 5000,
  firstConnectMs: 5000,
  reconnect: { baseMs: 200, maxMs: 10_000 },
  pingMs: 10_000,
  requestTimeoutMs: 4000,
  mostInFlight: 20_000,
  workMaxAgeMs: 10 * minute,
  workMaxHints: 200_000,
  duplicateWindowMs: 2 * minute,
  ackWaitMs: 5000,
  prefetch: 32,
  heartbeatMs: 5000,
  consumerIdleMs: 24 * 60 * minute,
  longestLifeMs: 60 * minute,
  replicas: 1,
  storage: 'file',
};

/** Fills in what was not set and refuses what NATS or the client would refuse later and less clearly. */
export function completeSettings(given: Partial<NatsSettings>): NatsSettings {
  const settings = { ...defaultNatsSettings, ...given };
  const refuse = (detail: string): never => {
    throw new BusError('badSettings', { detail });
  };
  const counts = ['mostInFlight', 'workMaxHints', 'prefetch', 'replicas'] as const;
  for (const name of counts) if (!(settings[name] >= 1)) refuse(`${name} must be at least 1`);
  const times = Object.entries(settings).filter(([name]) => name.endsWith('Ms'));
  for (const [name, value] of times) if (!(Number(value) > 0)) refuse(`${name} must be more than 0`);
  if (settings.heartbeatMs < 500) refuse('heartbeatMs must be at least 500');
  if (settings.longestLifeMs < 1000) refuse('longestLifeMs must be at least 1000');
  if (settings.duplicateWindowMs > settings.workMaxAgeMs) refuse('duplicateWindowMs may not exceed workMaxAgeMs');
  return settings;
}

/** How long one request may take, so that the two tries and what lies between them keep the bound. */
export function requestMs(settings: NatsSettings): number {
  return Math.ceil(settings.requestTimeoutMs / 4);
}
