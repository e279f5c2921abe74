import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock, Random } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { parseBmcAddress } from '../address.ts';
import { createTrustStore } from '../http/trust.ts';
import { BmcGate, type LaneCaller } from './bmc-gate.ts';
import type { BmcEndpoint, GateLane, GateReply, GateRequest, GateState, Gates, LeaseCheck } from './gate.ts';
import { createGateMetrics } from './gate-metrics.ts';
import { defaultGateSettings, type GateSettings } from './settings.ts';
import type { Shared } from './shared.ts';
import type { QueueLane } from './turn-queue.ts';

/** What gates are made of. */
export interface GatesOptions {
  readonly clock: Clock;
  /** For jitter; Math.random unless given. */
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly settings?: Partial<GateSettings>;
}

const closingAtOnce = 64;

/** Makes the gates of a process. There should be one of it: two would not know of each other's requests. */
export function createGates(options: GatesOptions): Gates {
  const shared: Shared = {
    clock: options.clock,
    random: options.random ?? Math.random,
    logger: options.logger ?? silentLogger,
    metrics: createGateMetrics(options.metrics ?? noMetrics),
    settings: { ...defaultGateSettings, ...options.settings },
    trustStore: createTrustStore(),
    salt: randomBytes(16),
    stopped: new Set(),
  };
  const gates = new Map<string, BmcGate>();
  let isClosed = false;

  const gateOf = (endpoint: BmcEndpoint): BmcGate => {
    const address = parseBmcAddress(endpoint.origin);
    const known = gates.get(address.origin);
    if (known !== undefined) return known;
    const gate = new BmcGate(address, shared);
    if (isClosed) void gate.close();
    gates.set(address.origin, gate);
    return gate;
  };

  return {
    open: (endpoint, caller) => new Lane(gateOf(endpoint), endpoint, caller?.checkLease),
    get states() {
      return [...gates.values()].map((gate) => gate.state);
    },
    async close() {
      isClosed = true;
      const open = [...gates.values()];
      const worker = async (): Promise<void> => {
        for (let next = open.pop(); next !== undefined; next = open.pop()) await next.close();
      };
      await Promise.all(Array.from({ length: closingAtOnce }, worker));
    },
  };
}

/** One caller's view of a gate. */
class Lane implements GateLane {
  readonly origin: string;
  readonly endpoint: BmcEndpoint;
  readonly #gate: BmcGate;
  readonly #checkLease: LeaseCheck | undefined;
  readonly #lane: QueueLane = { waiters: [] };

  constructor(gate: BmcGate, endpoint: BmcEndpoint, checkLease: LeaseCheck | undefined) {
    this.origin = gate.origin;
    this.endpoint = endpoint;
    this.#gate = gate;
    this.#checkLease = checkLease;
  }

  get sessionUri(): string | undefined {
    return this.#gate.sessionUri;
  }

  get state(): GateState {
    return this.#gate.state;
  }

  request(request: GateRequest): Promise<GateReply> {
    return this.#gate.request(request, this.#caller(request.signal));
  }

  openEventStream(path: string, signal: AbortSignal, headers?: GateRequest['headers']): Promise<Readable> {
    return this.#gate.openEventStream(path, this.#caller(signal), headers);
  }

  expectOutage(): () => void {
    return this.#gate.expectOutage();
  }

  logOut(): Promise<void> {
    return this.#gate.logOut(this.#caller(undefined));
  }

  #caller(signal: AbortSignal | undefined): LaneCaller {
    return { endpoint: this.endpoint, checkLease: this.#checkLease, signal, lane: this.#lane };
  }
}
