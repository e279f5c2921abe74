import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { managerOf } from '../inventory/index.ts';
import { type Member, parseServiceRoot, rootPath, systemOf } from '../redfish/index.ts';
import { poll } from './poll.ts';
import { offered, readResetOffer } from './reset-types.ts';

/** How to reset a BMC. */
export interface ManagerResetWish {
  /** From the request until the BMC can be used again; 10 minutes unless given. */
  readonly deadlineMs?: number;
  readonly isForced?: boolean;
  readonly signal?: AbortSignal;
}

/** How the reset of a BMC went. */
export interface ManagerReset {
  readonly sent: string;
  /** It was seen to be away; false when it came back faster than anyone looked, or never went. */
  readonly wasAway: boolean;
  readonly tookMs: number;
}

/** How long it may take to go away. */
const leaveMs = 60_000;
const tryMs = 10_000;

/**
 * Restarts the BMC and waits until it can be used: away (or a minute passed), then its root answers, then its managers,
 * then a session works. The host is not touched.
 */
export async function resetManager(bmc: Bmc, wish: ManagerResetWish = {}): Promise<ManagerReset> {
  const manager = await theManager(bmc);
  const offer = await readResetOffer(bmc, manager.body, 'Manager.Reset');
  const wanted = ['GracefulRestart', 'ForceRestart'];
  const [type] = offered(offer, wish.isForced === true ? wanted.toReversed() : wanted);
  if (type === undefined) {
    const detail = `it offers only ${offer.types?.join(', ') ?? 'nothing'}`;
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'be restarted', detail });
  }
  const started = bmc.clock.monotonic();
  const endOutage = bmc.gate.expectOutage();
  try {
    const lost = await send(bmc, { path: offer.target, type, signal: wish.signal });
    const wasAway = await waitForReturn(bmc, { manager, deadlineMs: wish.deadlineMs ?? 600_000, signal: wish.signal });
    // An answer that was lost, and no restart to be seen: whoever asked must know, and it is not sent again.
    if (lost !== undefined && !wasAway) throw lost;
    return { sent: type, wasAway, tookMs: bmc.clock.monotonic() - started };
  } finally {
    endOutage();
    forget(bmc);
  }
}

async function theManager(bmc: Bmc): Promise<Member> {
  const manager = await managerOf(bmc, await systemOf(bmc));
  if (manager !== undefined) return manager;
  const detail = 'it shows no manager';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'be restarted', detail });
}

async function send(
  bmc: Bmc,
  order: { readonly path: string; readonly type: string; readonly signal: AbortSignal | undefined },
): Promise<BmcError | undefined> {
  const { path, type, signal } = order;
  try {
    const body = { ResetType: type };
    await bmc.gate.request({
      method: 'POST',
      path,
      body,
      isDisruptive: true,
      ...(signal === undefined ? {} : { signal }),
    });
    return undefined;
  } catch (error) {
    // Some go away before they have answered; whether this one did is seen next.
    if (!isBmcError(error, 'ambiguous', 'timeout')) throw error;
    return error;
  }
}

/** Waits for a BMC that restarts, whoever restarted it. Expects that the gate knows of the outage. */
export async function waitForReturn(
  bmc: Bmc,
  wait: { readonly manager: Member; readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const started = bmc.clock.monotonic();
  const left = () => Math.max(0, wait.deadlineMs - (bmc.clock.monotonic() - started));
  const { signal } = wait;
  const wasAway = await sawLeave(bmc, Math.min(leaveMs, left()), signal);
  const ask = (path: string, isPublic: boolean) =>
    poll(bmc, {
      what: `the restart of the BMC (waiting for ${path})`,
      deadlineMs: left(),
      signal,
      // While it starts its services one by one, they may be missing, closed, or not know anybody.
      tolerated: ['refused', 'notFound', 'credentials', 'ambiguous'],
      mostMs: 5_000,
      look: async () => (await askOnce(bmc, path, isPublic)).body,
    });
  // Not noted: a BMC that is still starting may not name all of its services yet.
  const { managers } = parseServiceRoot(await ask(rootPath, true));
  forget(bmc);
  // The first of them logs in, so that this shows a session that works.
  await ask(managers ?? wait.manager.path, false);
  await ask(wait.manager.path, false);
  return wasAway;
}

async function sawLeave(bmc: Bmc, withinMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return await poll(bmc, {
      what: 'the BMC going away',
      deadlineMs: withinMs,
      mostMs: 2_000,
      signal,
      look: async () => {
        try {
          await askOnce(bmc, rootPath, true);
          return undefined;
        } catch (error) {
          if (isBmcError(error, 'unreachable', 'timeout', 'busy', 'malformed', 'refused', 'notFound')) return true;
          throw error;
        }
      },
    });
  } catch (error) {
    if (isBmcError(error, 'deadline')) return false;
    throw error;
  }
}

function askOnce(bmc: Bmc, path: string, isPublic: boolean) {
  return bmc.gate.request({ method: 'GET', path, isPublic, maxTries: 1, deadlineMs: tryMs });
}

/** A BMC that restarted may run other firmware: what was learned of it counts no more. */
function forget({ notes }: Bmc): void {
  if (notes === undefined) return;
  delete notes.root;
  delete notes.vendor;
  delete notes.unexpandable;
  delete notes.onlySystem;
  delete notes.taskCollection;
}
