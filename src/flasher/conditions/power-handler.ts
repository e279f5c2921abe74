import {
  findUpdateWithHostOff,
  type Power,
  type PowerWish,
  readBmcClock,
  readPower,
  setPower,
} from '../../bmc/index.ts';
import type { Work, WorkHandler, WorkOutcome } from '../../engine/index.ts';
import { type HeldBmc, holdBmc } from '../held-bmc.ts';
import { awaitUpdate, type DisturbingWork } from './await-update.ts';
import { readPowerParameters } from './other-schemas.ts';
import type { HandlerContext } from './ports.ts';
import { createStepStatus } from './step-status.ts';

/** What the kinds about power do. */
export type PowerKind = 'powerOn' | 'powerOff' | 'powerCycleHard' | 'powerCycleSoft';

/** Makes the handler of a kind about power. */
export function createPowerHandler(kind: PowerKind, context: HandlerContext): WorkHandler {
  return async (work) => {
    const held = await holdBmc(work, context);
    const status = createStepStatus(work.condition.status, context.clock);
    const wish = wishOf(kind, work);
    if (await wasDone(work, held, wish)) {
      status.say('the restart was done before the worker was lost');
      return { outcome: 'succeeded', status: status.with() };
    }
    const look = wish.target === 'on' ? findUpdateWithHostOff : undefined;
    const writing = await awaitUpdate({ work, held, status, context }, look);
    if (writing !== undefined) return writing;
    status.say(`${kind} is asked of the BMC`);
    await held.report({ status: status.with(), progress: { askedAt: context.clock.now() } });
    const { before, after, sent, wasForced, isConfirmed } = await setPower(held.bmc, wish);
    status.say(
      sent.length === 0 ? `the host is ${after} already` : `the host is ${after}${wasForced ? ', by force' : ''}`,
    );
    const told = { power_before: before, power_after: after, sent: [...sent], was_forced: wasForced };
    return { outcome: 'succeeded', status: status.with({ ...told, is_confirmed: isConfirmed }) } satisfies WorkOutcome;
  };
}

/**
 * Restarts a host, or switches it on, once: one that an earlier holder asked for is not asked for again. What `first` does
 * is done just before it. Gives how the work ended where an update kept it from that.
 */
export async function restartOnce(
  about: DisturbingWork,
  first: () => Promise<unknown>,
): Promise<{ readonly hasRestarted: boolean } | WorkOutcome> {
  const { work, held, status, context } = about;
  const wish: PowerWish = { target: 'cycle', signal: work.signal };
  if (await wasDone(work, held, wish)) return { hasRestarted: false };
  const writing = await awaitUpdate(about);
  if (writing !== undefined) return writing;
  await first();
  await held.report({ status: status.with(), progress: { askedAt: context.clock.now() } });
  await setPower(held.bmc, wish);
  return { hasRestarted: true };
}

function wishOf(kind: PowerKind, { condition, signal }: Work): PowerWish {
  const { isForced, gracePeriodMs } = readPowerParameters(condition.parameters);
  switch (kind) {
    case 'powerOn':
      return { target: 'on', signal };
    case 'powerOff':
      return { target: 'off', isGraceful: !isForced && gracePeriodMs > 0, gracePeriodMs, signal };
    case 'powerCycleHard':
      return { target: 'cycle', signal };
    case 'powerCycleSoft':
      return { target: 'reset', isGraceful: true, gracePeriodMs, signal };
  }
}

/**
 * A restart that an earlier holder asked for is not done again if the host shows that it was done. Where it shows nothing
 * it is done again: twice is better than never. What is on or off already needs no asking.
 */
async function wasDone(work: Work, held: HeldBmc, wish: PowerWish): Promise<boolean> {
  const { askedAt } = work.condition.progress;
  if (typeof askedAt !== 'number' || wish.target === 'on' || wish.target === 'off') return false;
  const { power, wasAway } = await powerAtRest(work, held);
  const { state, lastResetAt } = power;
  if (state !== 'on') return false;
  // Nobody else may restart it while this work has the device.
  if (wasAway) return true;
  if (lastResetAt === undefined) return false;
  const { offsetMs = 0 } = await readBmcClock(held.bmc);
  return lastResetAt - offsetMs >= askedAt - clockGrainMs;
}

/** BMCs tell times in whole seconds. */
const clockGrainMs = 1000;
const looks = 24;
const lookMs = 5000;

/** A restart that is under way is waited for. */
async function powerAtRest(
  work: Work,
  { bmc, touch }: HeldBmc,
): Promise<{ readonly power: Power; readonly wasAway: boolean }> {
  for (let look = 1; ; look += 1) {
    const power = await readPower(bmc);
    const isAway = power.state === 'changing' || power.state === 'off';
    if (!isAway || look === looks) return { power, wasAway: look > 1 };
    await work.pause(lookMs);
    await touch();
  }
}
