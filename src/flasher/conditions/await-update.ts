import { findRunningUpdate, isBmcError, type RunningUpdate } from '../../bmc/index.ts';
import type { Work, WorkOutcome } from '../../engine/index.ts';
import type { HeldBmc } from '../held-bmc.ts';
import type { HandlerContext } from './ports.ts';
import type { StepStatus } from './step-status.ts';
import { startedAtOf } from './within-time.ts';

/** Short work that is about to switch or restart something. */
export interface DisturbingWork {
  readonly work: Work;
  readonly held: HeldBmc;
  readonly status: StepStatus;
  readonly context: HandlerContext;
}

/** Finds an update that would be disturbed. */
type Look = (bmc: HeldBmc['bmc']) => Promise<RunningUpdate | undefined>;

/**
 * Lets an update end that the BMC is at, as after an install that was given up in its middle: a host that loses its power
 * then, or a BMC that is restarted, may be lost with it. Who forces it does not wait. Returns how the work ended where the
 * update did not.
 */
export async function awaitUpdate(
  about: DisturbingWork,
  look: Look = findRunningUpdate,
): Promise<WorkOutcome | undefined> {
  const { work, held, status, context } = about;
  if (work.condition.parameters.force === true) return undefined;
  // From the beginning of the work: a worker that goes on with it does not wait anew.
  const end = startedAtOf(work) + context.settings.followMs;
  let update = await look(held.bmc);
  if (update === undefined) return undefined;
  // It may be the firmware of the BMC itself.
  const endOutage = held.bmc.gate.expectOutage();
  try {
    while (update !== undefined) {
      if (work.now() >= end) return stillWriting(about, update);
      status.say(`the BMC is at an update, which is let end first: ${update.message}`);
      await held.report({ status: status.with() });
      await work.pause(updateLookMs);
      update = await lookAgain(held, look);
    }
    return undefined;
  } finally {
    endOutage();
  }
}

const updateLookMs = 15_000;

/** A BMC that is away in the middle of it restarts with what was written. */
async function lookAgain({ bmc }: HeldBmc, look: Look): Promise<RunningUpdate | undefined> {
  try {
    return await look(bmc);
  } catch (error) {
    if (isBmcError(error) && error.retry === 'transient') return { message: error.message };
    throw error;
  }
}

function stillWriting({ status, context }: DisturbingWork, { message: said }: RunningUpdate): WorkOutcome {
  const minutes = Math.round(context.settings.followMs / 60_000);
  const message = `the BMC has been at an update for ${minutes} minutes, and nothing was switched or restarted (${said}): look at the BMC, let it end or end it there, or ask again with force`;
  status.say(message);
  return { outcome: 'failed', reason: { code: 'UpdateRunning', message }, status: status.with() };
}
