import { Readable } from 'node:stream';
import {
  type Bmc,
  type BmcEndpoint,
  BmcError,
  type BmcIdentity,
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

/** A BMC that is open for leased work. Sessions of those who held it before are ended just before the first request. */
export interface OpenBmc extends HeldBmc {
  /** From now on requests end with this signal, and none is sent after it. */
  limit(signal: AbortSignal): void;
  /** The same BMC on another connection; this one stays limited as it is. */
  renew(): OpenBmc;
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
  const { open, shutOut } = openAt(await findAccess(work, context), { work, context, left: [...work.leftovers] });
  await awaitShutOut(work, open, { context, shutOut });
  return open;
}

/** The same without waiting for a BMC that is away: then the first requests fail, and the work has its own patience. */
export async function openBmc(work: Work, context: HoldContext): Promise<OpenBmc> {
  return openAt(await findAccess(work, context), { work, context, left: [...work.leftovers] }).open;
}

const findMs = 5 * 60_000;

/** An inventory that hangs must not keep the work, and with it the BMC, from others. */
async function findAccess({ condition: { target } }: Work, { servers, clock }: HoldContext): Promise<ServerAccess> {
  const late = Promise.withResolvers<never>();
  const timer = clock.after(findMs, () =>
    late.reject(new FlasherError('inventorySilent', { target, minutes: findMs / 60_000 })),
  );
  try {
    const access = await Promise.race([servers.find(target), late.promise]);
    if (access === undefined) throw new FlasherError('unknownServer', { target });
    return access;
  } finally {
    timer.cancel();
  }
}

interface Opening {
  readonly work: Work;
  readonly context: HoldContext;
  /** Whose sessions are still to be ended. */
  readonly left: PreviousHolder[];
}

interface Opened {
  readonly open: OpenBmc;
  /** Ends the sessions that are left. Throws what a request would throw while the BMC is away. */
  shutOut(): Promise<void>;
}

function openAt(access: ServerAccess, { work, context, left }: Opening): Opened {
  const { target } = work.condition;
  const { endpoint } = access;
  const checkLease: LeaseCheck = async (_purpose, origin, { fenceMs }) => {
    try {
      await work.check({ requestMs: fenceMs });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      throw new BmcError('leaseLost', { origin, detail }, { cause: error });
    }
  };
  const renewal = createRenewal(work, context.clock);
  const limit: Limit = { signal: undefined };
  const watched = limitGates(watchGates(context.gates, { touch: renewal.touch, confirm: () => work.confirm() }), limit);
  const identify = (bmc: BmcIdentity): Promise<void> => renewal.report({ bmc });
  const guard = guardOf({ access, target, gates: watched, checkLease, context, identify });
  const guarded = guardGates(watched, guard);
  const shutOut = createShutOut(left, { context, gates: guarded, endpoint, checkLease });
  const gates = withLanes(guarded, (lane) => shutOutFirst(lane, shutOut));
  const bmc = connect(access, { gates, checkLease, context });
  renewal.watch(bmc.gate);
  const leave = (): void => {
    if (bmc.gate.state.waiting > 0) return;
    bmc.gate.logOut().catch((error: unknown) => context.logger.debug('not logged out of a BMC yet', { target, error }));
  };
  const confirmMachine = (): Promise<void> => guard.admit({ method: 'POST' });
  const held = { bmc, touch: renewal.touch, report: renewal.report, confirmMachine, leave };
  const open: OpenBmc = {
    ...held,
    limit: (signal) => {
      limit.signal = signal;
    },
    renew: () => openAt(access, { work, context, left }).open,
  };
  return { open, shutOut };
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

function guardOf({
  access,
  target,
  identify,
  ...connecting
}: Connecting & {
  readonly access: ServerAccess;
  readonly target: string;
  identify(bmc: BmcIdentity): Promise<void>;
}): MachineGuard {
  // A connection of its own: what it notes of a BMC must not wait for itself.
  const bmc = connect(access, connecting);
  return createMachineGuard({ known: access.machine ?? {}, target, bmc, identify });
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

async function awaitShutOut(
  work: Work,
  { bmc, touch }: HeldBmc,
  { context, shutOut }: Pick<Opened, 'shutOut'> & { readonly context: HoldContext },
): Promise<void> {
  const { clock, random } = context;
  const end = clock.monotonic() + outageMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await shutOut();
    } catch (error) {
      const mayWait = isBmcError(error) && error.retry === 'transient' && clock.monotonic() < end;
      if (!mayWait) throw error;
    }
    const endOutage = bmc.gate.expectOutage();
    try {
      await touch();
      await work.pause(backoffDelay(backoff, failures, random));
    } finally {
      endOutage();
    }
  }
}

/** Ends the sessions of all who left the device without a clean end, one after the other, and takes them off the list. */
function createShutOut(left: PreviousHolder[], about: ShutOut): () => Promise<void> {
  const endAll = async (): Promise<void> => {
    for (let leftover = left[0]; leftover !== undefined; left.shift(), leftover = left[0]) {
      if (leftover.sessionUri !== undefined) await shutOutOne(leftover, about);
    }
  };
  let running: Promise<void> | undefined;
  return async () => {
    if (left.length === 0) return;
    running ??= endAll().finally(() => {
      running = undefined;
    });
    await running;
  };
}

function shutOutFirst(lane: GateLane, shutOut: () => Promise<void>): GateLane {
  return withRequest(lane, async (request) => {
    await shutOut();
    return await lane.request(request);
  });
}

async function shutOutOne(leftover: PreviousHolder, about: ShutOut): Promise<void> {
  const { gates, endpoint, checkLease, context } = about;
  const endOutage = gates.open(endpoint).expectOutage();
  try {
    await endSession(gates, { endpoint, sessionUri: leftover.sessionUri ?? '', checkLease });
  } catch (error) {
    // The lost worker had no session here. What the work does next is refused as well, and told as its end.
    if (isFlasherError(error, 'otherMachine')) return;
    // Without its system nobody can tell whether it is the right machine; one that starts shows it later.
    if (isBmcError(error, 'notFound')) {
      throw new BmcError('busy', { origin: endpoint.origin, detail: error.message }, { cause: error });
    }
    // An account that may not end sessions, or a record that names none: the lost lease and our waiting must do.
    if (!isBmcError(error, 'refused', 'unsupported', 'badAddress')) throw error;
    context.logger.warn('the session of a lost worker could not be ended', { controller: leftover.controller, error });
  } finally {
    endOutage();
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

interface Watching {
  touch(): Promise<void>;
  confirm(): Promise<void>;
}

function watchGates(gates: Gates, watching: Watching): Gates {
  return withLanes(gates, (lane) => watchLane(lane, watching));
}

function guardGates(gates: Gates, guard: MachineGuard): Gates {
  return withLanes(gates, (lane) => guardLane(lane, guard));
}

/** When requests have to end. */
interface Limit {
  signal: AbortSignal | undefined;
}

function limitGates(gates: Gates, limit: Limit): Gates {
  return withLanes(gates, (lane) =>
    withRequest(lane, async (request) => {
      const { signal } = limit;
      if (signal === undefined) return await lane.request(request);
      if (signal.aborted) throw new BmcError('cancelled', { origin: lane.origin });
      const signals = request.signal === undefined ? [signal] : [signal, request.signal];
      return await lane.request({ ...request, signal: AbortSignal.any(signals) });
    }),
  );
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

function watchLane(lane: GateLane, watching: Watching): GateLane {
  return withRequest(lane, async (request) => {
    try {
      return await lane.request(withTouches(request, watching));
    } finally {
      await watching.touch();
    }
  });
}

/** A long upload gets on with every piece, and none is sent unless the lease is held: this process may have been frozen. */
function withTouches(request: GateRequest, { touch, confirm }: Watching): GateRequest {
  const { body } = request;
  if (!isStream(body)) return request;
  async function* pieces(source: Readable): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      await touch();
      await confirm();
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
