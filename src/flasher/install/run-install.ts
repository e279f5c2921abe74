import { isBmcError } from '../../bmc/index.ts';
import { isEngineError, type Work, type WorkOutcome } from '../../engine/index.ts';
import { backoffDelay, takeStep } from '../../kube/index.ts';
import { traced } from '../../telemetry/index.ts';
import { isFlasherError } from '../errors.ts';
import { holdBmc } from '../held-bmc.ts';
import { harmlessStates, type InstallResult, type InstallState, installTable, unsafeStates } from './install-table.ts';
import { failureOf } from './judge-failure.ts';
import type { InstallParameters } from './parameters.ts';
import type { InstallContext } from './ports.ts';
import {
  type ActionFailure,
  type InstallProgress,
  isInstallProgress,
  loadProgress,
  storedProgress,
} from './progress.ts';
import { InstallRun, type StepEntry } from './run.ts';
import { afterFailure, close, cure, leaveRest } from './steps/end-steps.ts';
import { follow, settle, verify } from './steps/follow-steps.ts';
import { checkHost, powerOff, powerOn, resetBmcFirst, restorePower } from './steps/host-steps.ts';
import { awaitOther, keepOff } from './steps/other-update.ts';
import { checkInstalled, fetchImage, plan, prepare } from './steps/plan-steps.ts';
import { activate, recheck } from './steps/reset-steps.ts';
import { find, mark, send, startUploaded } from './steps/send-steps.ts';

type Step = (run: InstallRun, entry: StepEntry) => Promise<InstallResult>;

/** What is done in each state. */
const steps: Readonly<Record<Exclude<InstallState, 'succeeded' | 'failed'>, Step>> = {
  'checking-host': checkHost,
  'powering-on': powerOn,
  'keeping-off': keepOff,
  planning: plan,
  checking: checkInstalled,
  fetching: fetchImage,
  preparing: prepare,
  'awaiting-other': awaitOther,
  'resetting-bmc': resetBmcFirst,
  'powering-off': powerOff,
  marking: mark,
  sending: send,
  finding: find,
  starting: startUploaded,
  following: follow,
  settling: settle,
  activating: activate,
  rechecking: recheck,
  verifying: verify,
  failing: afterFailure,
  curing: cure,
  closing: close,
  'restoring-power': restorePower,
};

/** While one of these goes on a slot for uploads is held. */
const slotStates: readonly InstallState[] = ['marking', 'sending'];

/**
 * Works on an install from where it stands until it is over. Everything that another process needs to go on is stored
 * before the step that needs it begins.
 */
export async function runInstall(
  work: Work,
  parameters: InstallParameters,
  context: InstallContext,
): Promise<WorkOutcome> {
  const { condition } = work;
  // What a vendor's command or a booted image left is nothing to go on with here.
  const isForeign = work.isFirstLease && !isInstallProgress(condition.progress);
  const progress = loadProgress(condition.id, isForeign ? {} : condition.progress, context.clock.now());
  const held = await holdBmc(work, context);
  const run = new InstallRun({ work, context, parameters, progress, held });
  let isResumed = progress.records.length > 0;
  if (isResumed) resume(run);
  else run.say('the install begins');
  try {
    for (;;) {
      const { state } = progress;
      if (state === 'succeeded' || state === 'failed') return outcomeOf(run);
      const result = await takeResult(run, steps[state], { isResumed });
      isResumed = false;
      if (!(await advance(run, result))) await advance(run, 'cancelled');
      // Not before what the BMC took is stored.
      if (!slotStates.includes(progress.state)) await run.giveSlotBack();
    }
  } finally {
    await run.dropImage();
    await run.giveSlotBack();
    held.leave();
  }
}

function resume(run: InstallRun): void {
  const { progress, work, context } = run;
  context.metrics.resumed(progress.state);
  if (work.isFirstLease) {
    // An earlier install that was given up is gone on with: it has all the time and the tries that a new one would have.
    progress.since = context.clock.now();
    const action = progress.actions[progress.at];
    if (action !== undefined) Object.assign(action, { attempts: Math.min(action.attempts, 1), sends: 0 });
    run.say(`an earlier install of the same was left in the middle; this one goes on at ${progress.state}`);
  } else run.say(`another worker goes on at ${progress.state}`);
}

/** Does a step, again and again while it fails in passing and its time is not over. */
async function takeResult(run: InstallRun, step: Step, entry: StepEntry): Promise<InstallResult> {
  const { context, progress } = run;
  const began = context.clock.monotonic();
  for (let failures = 1; ; failures += 1) {
    try {
      const about = { name: `install ${progress.state}`, attributes: { 'rackwright.step': progress.state } };
      const result = await traced(about, async (span) => {
        const taken = await step(run, { isResumed: entry.isResumed || failures > 1 });
        span.set({ 'rackwright.result': taken });
        return taken;
      });
      context.metrics.stepEnded({ step: progress.state, result }, context.clock.monotonic() - began);
      return result;
    } catch (error) {
      const result = await afterError(run, error, failures);
      if (result !== undefined) return result;
    }
  }
}

/** What an error comes to; undefined when the step is to be done again. */
async function afterError(run: InstallRun, error: unknown, failures: number): Promise<InstallResult | undefined> {
  const { work, context } = run;
  if (work.signal.aborted) throw work.signal.reason;
  if (isCancel(error)) return afterCancel(run, error);
  if (isEngineError(error) || isBmcError(error, 'leaseLost')) throw error;
  if (mayPass(error) && isInTime(run)) {
    run.say(`it is tried again soon: ${error instanceof Error ? error.message : String(error)}`);
    try {
      await run.saveSometimes();
      await work.pause(backoffDelay(context.settings.retry, failures, context.random));
    } catch (interruption) {
      if (isCancel(interruption)) return afterCancel(run, interruption);
      throw interruption;
    }
    return undefined;
  }
  return refused(run, error);
}

function isCancel(error: unknown): error is Error {
  return isEngineError(error, 'cancelled');
}

/** Undefined where there is nothing left to cancel: the host's power is put back all the same, and what came of it stands. */
function afterCancel(run: InstallRun, error: Error): 'cancelled' | undefined {
  return isTooLate(run) ? undefined : cancelled(run, error);
}

function isTooLate({ progress }: InstallRun): boolean {
  return progress.state === 'restoring-power';
}

function cancelled({ progress }: InstallRun, error: Error): 'cancelled' {
  progress.ending = { code: 'Cancelled', message: error.message };
  return 'cancelled';
}

/** Whatever passes by itself, but for images, which are fetched with tries of their own. */
function mayPass(error: unknown): boolean {
  // A BMC that restarts its services knows no session for a while, not even a fresh one.
  if (isBmcError(error)) return error.retry === 'transient' || (error.code === 'refused' && error.status === 401);
  return isFlasherError(error) && error.retry === 'transient' && error.code !== 'sourceFailed';
}

function isInTime({ progress, now }: InstallRun): boolean {
  const { state, since } = progress;
  return takeStep(installTable, { state, since }, { result: 'none', hasFailed: false }, now).overdueAt !== undefined;
}

/** Errors of our own are thrown on: nobody can do anything about them here. */
function refused(run: InstallRun, error: unknown): InstallResult {
  if (!isBmcError(error) && !isFlasherError(error)) throw error;
  const failure = failureOf(error);
  const { progress } = run;
  const isOfAction = installTable.rows.some(
    ({ from, when }) => when.result === 'refused' && Array.isArray(from) && from.includes(progress.state),
  );
  if (isOfAction || progress.state === 'curing') return failAction(run, failure);
  progress.ending ??=
    progress.state === 'restoring-power'
      ? { code: 'PowerNotRestored', message: `the host could not be left as it was found: ${failure.message}` }
      : { code: failure.code, message: failure.message };
  run.say(progress.ending.message);
  return 'fault';
}

/** What the BMC has taken may still be written or wait: then nothing is sent again and nothing is switched off. */
function failAction(run: InstallRun, failure: ActionFailure): InstallResult {
  const { action, progress } = run;
  const isTaken = action.started !== undefined && unsafeStates.includes(progress.state);
  if (!isTaken) return run.fail(failure);
  action.isUnsettled = true;
  return run.fail({ ...failure, mayPass: false });
}

/** Goes to the next state and stores it before anything is done there. False when that was where a cancel struck. */
async function advance(run: InstallRun, result: InstallResult): Promise<boolean> {
  const { progress, context } = run;
  if (result === 'cancelled') leaveRest(run, `not started, since ${progress.ending?.message ?? 'it was cancelled'}`);
  const facts = { result, hasFailed: progress.ending !== undefined };
  const step = takeStep(installTable, { state: progress.state, since: progress.since }, facts, context.clock.now());
  if (!step.isTaken) throw new TypeError(`an install cannot go on from ${progress.state} with ${result}`);
  progress.state = step.position.state;
  progress.since = context.clock.now();
  if (!isStoredFirst(progress)) return true;
  try {
    await run.save();
    return true;
  } catch (error) {
    if (!isCancel(error)) throw error;
    if (isTooLate(run)) return true;
    cancelled(run, error);
    return false;
  }
}

/** A success is seen again by whoever comes after a crash; why something failed may not be. */
function isStoredFirst({ state, ending }: InstallProgress): boolean {
  if (state === 'restoring-power') return ending !== undefined;
  return !harmlessStates.includes(state) && !installTable.final.includes(state as never);
}

function outcomeOf(run: InstallRun): WorkOutcome {
  const { progress } = run;
  const count = progress.actions.filter(({ state }) => state === 'succeeded').length;
  const { ending } = progress;
  if (ending !== undefined) run.say(`failed: ${ending.message}`);
  else if (progress.actions.length > 0)
    run.say(run.parameters.isDryRun ? 'dry run: all could be installed' : `${count} installed`);
  const stored = { status: run.status(), progress: storedProgress(progress) };
  return ending === undefined ? { outcome: 'succeeded', ...stored } : { outcome: 'failed', reason: ending, ...stored };
}
