import { Readable } from 'node:stream';
import {
  type Bmc,
  type BmcEndpoint,
  BmcError,
  connectBmc,
  endSession,
  type GateLane,
  type GateRequest,
  type Gates,
  isBmcError,
  type LeaseCheck,
  type StreamBody,
} from '../bmc/index.ts';
import type { PreviousHolder, StepReport, Work } from '../engine/index.ts';
import { backoffDelay, type Clock, type Random } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { withRequest } from './change-lane.ts';
import { FlasherError, isFlasherError } from './errors.ts';
import type { ServerAccess, ServerDirectory } from './install/ports.ts';
import { createMachineGuard, guardLane, type MachineGuard } from './machine-guard.ts';

/** A BMC for as long as work on it is leased. */
export interface HeldBmc {
  readonly bmc: Bmc;
  /** Renews the lease when it is time to: what calls it has just got on. */
  touch(): Promise<void>;
  /** Reports, and tells which session is in use. */
  report(report: StepReport): Promise<void>;
  /**
   * Makes sure that the BMC is in the machine that the work is for, just before something is done to it that does not go
   * through the gate. Requests that write are preceded by it anyway. Throws `otherMachine`.
   */
  confirmMachine(): Promise<void>;
  /**
   * The work is over: logs out on the connection that is open, unless others want the BMC too. Nothing waits for that; what
   * fails the gate tries again.
   */
  leave(): void;
}

/** What holding a BMC needs. */
export interface HoldContext {
  readonly gates: Gates;
  readonly servers: ServerDirectory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A lease is renewed by progress when this part of it has passed. */
const renewAfter = 1 / 4;

/**
 * Opens the BMC of leased work. Sessions of those who lost their leases are ended first, so that none of them can go on.
 * Each answer of the BMC, also a bad one, is progress and renews the lease: who hangs makes no requests and loses it.
 */
export async function holdBmc(work: Work, context: HoldContext): Promise<HeldBmc> {
  const { target } = work.condition;
  const access = await context.servers.find(target);
  if (access === undefined) throw new FlasherError('unknownServer', { target });
  const { endpoint } = access;
  const checkLease: LeaseCheck = async (_purpose, origin) => {
    try {
      await work.check();
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      throw new BmcError('leaseLost', { origin, detail }, { cause: error });
    }
  };
  const renewal = createRenewal(work, context.clock);
  const watched = watchGates(context.gates, renewal.touch);
  const guard = guardOf({ access, target, gates: watched, checkLease, context });
  const gates = guardGates(watched, guard);
  const bmc = connect(access, { gates, checkLease, context });
  renewal.watch(bmc.gate);
  const leave = (): void => {
    if (bmc.gate.state.waiting > 0) return;
    bmc.gate.logOut().catch((error: unknown) => context.logger.debug('not logged out of a BMC yet', { target, error }));
  };
  const confirmMachine = async (): Promise<void> => await guard?.admit({ method: 'POST' });
  const held = { bmc, touch: renewal.touch, report: renewal.report, confirmMachine, leave };
  await shutOutAll(work, held, { context, gates, endpoint, checkLease });
  return held;
}

interface Connecting {
  readonly gates: Gates;
  readonly checkLease: LeaseCheck;
  readonly context: HoldContext;
}

function connect({ endpoint, systemPath }: ServerAccess, { gates, checkLease, context }: Connecting): Bmc {
  const { clock, random } = context;
  const about = { gates, endpoint, clock, random, checkLease };
  return connectBmc(systemPath === undefined ? about : { ...about, systemPath });
}

/** Undefined where nobody knows what the machine is known by. */
function guardOf({
  access,
  target,
  ...connecting
}: Connecting & { readonly access: ServerAccess; readonly target: string }): MachineGuard | undefined {
  const { machine: known } = access;
  // A connection of its own: what it notes of a BMC must not wait for itself.
  return known === undefined ? undefined : createMachineGuard({ known, target, bmc: connect(access, connecting) });
}

interface ShutOut {
  readonly context: HoldContext;
  readonly gates: Gates;
  readonly endpoint: BmcEndpoint;
  readonly checkLease: LeaseCheck;
}

/** How long a BMC that cannot be asked is waited for: it may be in the middle of what the lost worker began. */
const outageMs = 20 * 60_000;
const backoff = { baseMs: 5000, maxMs: 30_000 };

/** Ends the sessions of all who left the device without a clean end. */
async function shutOutAll(work: Work, held: HeldBmc, about: ShutOut): Promise<void> {
  const { clock, random } = about.context;
  const end = clock.monotonic() + outageMs;
  for (const leftover of work.leftovers) {
    if (leftover.sessionUri === undefined) continue;
    const endOutage = held.bmc.gate.expectOutage();
    try {
      for (let failures = 1; !(await shutOut(leftover, about, clock.monotonic() < end)); failures += 1) {
        await held.touch();
        await work.pause(backoffDelay(backoff, failures, random));
      }
    } finally {
      endOutage();
    }
  }
}

/** False when it has to be tried again. */
async function shutOut(leftover: PreviousHolder, about: ShutOut, mayWait: boolean): Promise<boolean> {
  const { gates, endpoint, checkLease, context } = about;
  try {
    await endSession(gates, { endpoint, sessionUri: leftover.sessionUri ?? '', checkLease });
    return true;
  } catch (error) {
    // The lost worker had no session here. What the work does next is refused as well, and told as its end.
    if (isFlasherError(error, 'otherMachine')) return true;
    // Without its system nobody can tell whether it is the right machine; one that starts shows it later.
    const doesPass = isBmcError(error) && (error.retry === 'transient' || error.code === 'notFound');
    if (mayWait && doesPass) return false;
    // An account that may not end sessions, or a record that names none: the lost lease and our waiting must do.
    if (!isBmcError(error, 'refused', 'unsupported', 'badAddress')) throw error;
    context.logger.warn('the session of a lost worker could not be ended', { controller: leftover.controller, error });
    return true;
  }
}

function createRenewal(work: Work, clock: Clock) {
  const everyMs = work.lease.leaseMs * renewAfter;
  let lastAt = clock.monotonic();
  let lane: GateLane | undefined;
  let told: string | undefined;
  const report = async (said: StepReport): Promise<void> => {
    lastAt = clock.monotonic();
    const sessionUri = lane?.sessionUri;
    const isNews = sessionUri !== undefined && sessionUri !== told;
    await work.report({ ...said, ...(isNews ? { sessionUri } : {}) });
    if (isNews) told = sessionUri;
  };
  return {
    report,
    watch: (gate: GateLane) => {
      lane = gate;
    },
    async touch(): Promise<void> {
      // A session that nobody has written down could not be ended by whoever comes after.
      const isNew = lane?.sessionUri !== undefined && lane.sessionUri !== told;
      if (isNew || clock.monotonic() - lastAt >= everyMs) await report({});
    },
  };
}

function watchGates(gates: Gates, touch: () => Promise<void>): Gates {
  return withLanes(gates, (lane) => watchLane(lane, touch));
}

function guardGates(gates: Gates, guard: MachineGuard | undefined): Gates {
  return guard === undefined ? gates : withLanes(gates, (lane) => guardLane(lane, guard));
}

function withLanes(gates: Gates, change: (lane: GateLane) => GateLane): Gates {
  return {
    get states() {
      return gates.states;
    },
    close: () => gates.close(),
    open: (endpoint, caller) => change(gates.open(endpoint, caller)),
  };
}

function watchLane(lane: GateLane, touch: () => Promise<void>): GateLane {
  return withRequest(lane, async (request) => {
    try {
      return await lane.request(withTouches(request, touch));
    } finally {
      await touch();
    }
  });
}

/** A long upload gets on with every piece. */
function withTouches(request: GateRequest, touch: () => Promise<void>): GateRequest {
  const { body } = request;
  if (!isStream(body)) return request;
  async function* pieces(source: Readable): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      await touch();
      yield piece as Buffer;
    }
  }
  const { contentType, lengthBytes } = body;
  const open = (): Readable => Readable.from(pieces(body.open()), { objectMode: false });
  return { ...request, body: { contentType, lengthBytes, open } };
}

function isStream(body: GateRequest['body']): body is StreamBody {
  return typeof (body as Partial<StreamBody> | undefined)?.open === 'function';
}
