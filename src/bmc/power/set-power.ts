import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { type System, systemOf } from '../redfish/index.ts';
import { poll } from './poll.ts';
import { type PowerState, powerIn, refresh } from './power-state.ts';
import { type ResetOffer, readResetOffer } from './reset-types.ts';
import { createSwitching, type Switching } from './switching.ts';
import { isInPost } from './wait-for-post.ts';

/** What the power shall be. */
export interface PowerWish {
  /** `reset` restarts; `cycle` takes the power away in between. Both turn on a host that is off. */
  readonly target: 'on' | 'off' | 'reset' | 'cycle';
  /** Let the operating system shut down first; false unless given. */
  readonly isGraceful?: boolean;
  /** How long it may take for that before it is forced; 5 minutes unless given. */
  readonly gracePeriodMs?: number;
  /** For all of it; 15 minutes unless given. */
  readonly deadlineMs?: number;
  /** How long a host that shows nothing but its power is watched for a sign of its restart; 15 seconds unless given. */
  readonly signMs?: number;
  /** Do nothing to a host that is in its self-test, where firmware may be written; false unless given. */
  readonly isSelfTestSpared?: boolean;
  readonly signal?: AbortSignal;
}

/** What was done about the power. */
export interface PowerChange {
  readonly before: PowerState;
  readonly after: PowerState;
  /** The reset types that were sent, in order; none when it was so already. */
  readonly sent: readonly string[];
  /** A graceful way was asked for and did not get there in time. */
  readonly wasForced: boolean;
  /** False when the BMC took the request but shows nothing by which to tell that it was done. */
  readonly isConfirmed: boolean;
  /** Nothing was done, since the host is in its self-test and that was to be spared. */
  readonly wasSpared?: true;
}

/** Brings the host's power where it shall be and says what was done for it. Done twice it does nothing more, but for resets. */
export async function setPower(bmc: Bmc, wish: PowerWish): Promise<PowerChange> {
  const system = await atRest(bmc, wish);
  const before = powerIn(system.body).state;
  if (before === wish.target) return { before, after: before, sent: [], wasForced: false, isConfirmed: true };
  if (wish.isSelfTestSpared === true && isInPost(system.body)) {
    return { before, after: before, sent: [], wasForced: false, isConfirmed: false, wasSpared: true };
  }
  const offer = await readResetOffer(bmc, system.body, 'ComputerSystem.Reset');
  const switching = createSwitching(bmc, { system, offer, wish });
  const isConfirmed = await carryOut({ switching, wish, before, offer });
  const { sent, wasForced } = switching;
  return { before, after: wish.target === 'off' ? 'off' : 'on', sent, wasForced, isConfirmed };
}

/** A host that goes on or off just now is waited for: requests in between are refused, or do the opposite. */
async function atRest(bmc: Bmc, wish: PowerWish): Promise<System> {
  let system = await systemOf(bmc);
  const isAtRest = () => powerIn(system.body).state !== 'changing';
  if (isAtRest()) return system;
  try {
    return await poll(bmc, {
      what: 'the change of power that is under way',
      deadlineMs: Math.min(wish.deadlineMs ?? mostRestMs, mostRestMs),
      signal: wish.signal,
      look: async () => {
        system = await refresh(bmc, system);
        return isAtRest() ? system : undefined;
      },
    });
  } catch (error) {
    // A host that hangs in between is what a forced change is for.
    if (isBmcError(error, 'deadline')) return system;
    throw error;
  }
}

const mostRestMs = 2 * 60_000;

async function carryOut(order: {
  readonly switching: Switching;
  readonly wish: PowerWish;
  readonly before: PowerState;
  readonly offer: ResetOffer;
}): Promise<boolean> {
  const { switching, wish, before, offer } = order;
  if (wish.target === 'off') return switching.goOff();
  if (wish.target === 'on' || before === 'off') return switching.goOn();
  const can = (type: string) => offer.types === undefined || offer.types.includes(type);
  const offAndOn = async () => (await switching.goOff()) && (await switching.goOn());
  // Off and on again is seen in the power state; a restart in one go often is not.
  if (wish.isGraceful === true && can('GracefulShutdown')) return offAndOn();
  if (wish.isGraceful === true && can('GracefulRestart')) return switching.restartGracefully();
  const types = wish.target === 'cycle' ? ['PowerCycle'] : ['ForceRestart', 'PowerCycle'];
  if (!types.some(can) && can('ForceOff')) return offAndOn();
  return switching.restart(wish.target === 'cycle' ? [...types, 'ForceRestart'] : types);
}
