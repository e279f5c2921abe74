import {
  findRunningUpdate,
  isBmcError,
  type Power,
  type PowerWish,
  type RunningUpdate,
  readBmcClock,
  readPower,
  setPower,
} from '../../bmc/index.ts';
import type { Work, WorkHandler, WorkOutcome } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import { type HeldBmc, holdBmc } from '../held-bmc.ts';
import { readPowerParameters } from './other-schemas.ts';
import type { HandlerContext } from './ports.ts';
import { createStepStatus, type StepStatus } from './step-status.ts';

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
    const writing = await awaitUpdate({ work, held, status, context }, wish);
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

interface PowerWork {
  readonly work: Work;
  readonly held: HeldBmc;
  readonly status: StepStatus;
  readonly context: HandlerContext;
}

/**
 * Lets an update end that the BMC is at, as after an install that was given up in its middle: a host that loses its power
 * then may be lost with it. Who forces it does not wait. Returns how it ended where the update did not.
 */
async function awaitUpdate(about: PowerWork, { target }: PowerWish): Promise<WorkOutcome | undefined> {
  const { work, held, status, context } = about;
  if (target === 'on' || readPowerParameters(work.condition.parameters).isForced) return undefined;
  const end = context.clock.monotonic() + context.settings.followMs;
  let update = await findRunningUpdate(held.bmc);
  if (update === undefined) return undefined;
  // It may be the firmware of the BMC itself.
  const endOutage = held.bmc.gate.expectOutage();
  try {
    while (update !== undefined) {
      if (context.clock.monotonic() >= end) return stillWriting(about, update);
      status.say(`the BMC is at an update, which is let end first: ${update.message}`);
      await held.report({ status: status.with() });
      await work.pause(updateLookMs);
      update = await lookAgain(held);
    }
    return undefined;
  } finally {
    endOutage();
  }
}

const updateLookMs = 15_000;

/** A BMC that is away in the middle of it restarts with what was written. */
async function lookAgain({ bmc }: HeldBmc): Promise<RunningUpdate | undefined> {
  try {
    return await findRunningUpdate(bmc);
  } catch (error) {
    if (isBmcError(error) && error.retry === 'transient') return { message: error.message };
    throw error;
  }
}

function stillWriting({ status, context }: PowerWork, { message: said }: RunningUpdate): WorkOutcome {
  const minutes = Math.round(context.settings.followMs / 60_000);
  const message = `the BMC has been at an update for ${minutes} minutes, and the power of the host was left alone (${said}): look at the BMC, let it end or end it there, or ask again with force`;
  status.say(message);
  return { outcome: 'failed', reason: { code: 'UpdateRunning', message }, status: status.with() };
}

/** Restarts a host, or switches it on, once: one that an earlier holder asked for is not asked for again. */
export async function restartOnce(about: {
  readonly work: Work;
  readonly held: HeldBmc;
  readonly status: StepStatus;
  readonly clock: Clock;
}): Promise<{ readonly hasRestarted: boolean }> {
  const { work, held, status, clock } = about;
  const wish: PowerWish = { target: 'cycle', signal: work.signal };
  if (await wasDone(work, held, wish)) return { hasRestarted: false };
  await held.report({ status: status.with(), progress: { askedAt: clock.now() } });
  await setPower(held.bmc, wish);
  return { hasRestarted: true };
}

function wishOf(kind: PowerKind, { condition, signal }: Work): PowerWish {
  const { isForced, gracePeriodMs } = readPowerParameters(condition.parameters);
  switch (kind) {
    case 'powerOn':
      return { target: 'on', signal };
    case 'powerOff':
      return { target: 'off', isGraceful: !isForced, gracePeriodMs, signal };
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
