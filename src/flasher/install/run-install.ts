import { isBmcError } from '../../bmc/index.ts';
import { EngineError, isEngineError, type Work, type WorkOutcome } from '../../engine/index.ts';
import { backoffDelay, rowsFrom, type Timer, takeStep } from '../../kube/index.ts';
import { traced } from '../../telemetry/index.ts';
import { FlasherError, isFlasherError } from '../errors.ts';
import { openBmc } from '../held-bmc.ts';
import { describeSkipped, isUnmet } from '../plan/assess-plan.ts';
import { countsOf } from './install-outcome.ts';
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
import { readAfterwards } from './read-afterwards.ts';
import { InstallRun, type StepEntry } from './run.ts';
import { hasNoTimeLeft, mostEntries, resumeGraceMs } from './state-deadline.ts';
import { afterFailure, close, cure, leaveRest } from './steps/end-steps.ts';
import { follow, settle, verify } from './steps/follow-steps.ts';
import { checkHost, powerOff, powerOn, resetBmcFirst, restorePower } from './steps/host-steps.ts';
import { awaitOther, keepOff } from './steps/other-update.ts';
import { assessFit, checkInstalled, fetchImage, plan, prepare } from './steps/plan-steps.ts';
import { activate, recheck } from './steps/reset-steps.ts';
import { find, mark, send, startUploaded } from './steps/send-steps.ts';

type Step = (run: InstallRun, entry: StepEntry) => Promise<InstallResult>;

/** What is done in each state. */
const steps: Readonly<Record<Exclude<InstallState, 'succeeded' | 'failed'>, Step>> = {
  'checking-host': checkHost,
  'checking-fit': assessFit,
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
  const progress = loadProgress(condition.id, isForeign ? {} : condition.progress, work.now());
  const held = await openBmc(work, context);
  let run = new InstallRun({ work, context, parameters, progress, held });
  let isResumed = progress.records.length > 0;
  if (isResumed) resume(run);
  else run.say('the install begins');
  try {
    for (;;) {
      const { state } = run.progress;
      if (state === 'succeeded' || state === 'failed') return await readAfterwards(run, outcomeOf(run));
      const taken = await takeResult(run, steps[state], { isResumed });
      run = taken.run;
      isResumed = false;
      if (!(await advance(run, taken.result))) await advance(run, 'cancelled');
      // Not before what the BMC took is stored.
      if (!slotStates.includes(run.progress.state)) await run.giveSlotBack();
    }
  } finally {
    run.leaveState();
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
    progress.since = run.now;
    delete progress.extendedTo;
    delete progress.entries;
    const action = progress.actions[progress.at];
    if (action !== undefined) Object.assign(action, { attempts: Math.min(action.attempts, 1), sends: 0 });
    run.say(`an earlier install of the same was left in the middle; this one goes on at ${progress.state}`);
  } else run.say(`another worker goes on at ${progress.state}`);
}

/** What came of a state, and the run that goes on: another one where the step did not end with its time. */
interface Taken {
  readonly run: InstallRun;
  readonly result: InstallResult;
}

/** Does a step, again and again while it fails in passing, until the time of its state is over. */
async function takeResult(run: InstallRun, step: Step, entry: StepEntry): Promise<Taken> {
  const { context, progress } = run;
  const began = context.clock.monotonic();
  if (entry.isResumed) extend(run);
  delete run.lastError;
  if (isGoingRound(progress)) {
    const count = progress.entries?.[progress.state] ?? 0;
    run.lastError = new FlasherError('noProgress', { step: progress.state, count });
    return { run, result: overdue(run) };
  }
  run.enterState();
  try {
    for (let failures = 1; ; failures += 1) {
      const taken = await tryStep(run, step, { entry, failures });
      if (taken === undefined) continue;
      context.metrics.stepEnded({ step: progress.state, result: taken.result }, context.clock.monotonic() - began);
      return taken;
    }
  } finally {
    run.leaveState();
  }
}

/** The time of the state ran out while nobody worked on it: that is given a little once, and stored before it is used. */
function extend({ progress, now, context, work }: InstallRun): void {
  if (progress.extendedTo !== undefined) return;
  const about = { settings: context.settings, cancelledAt: work.cancel?.at, now };
  if (hasNoTimeLeft(progress, about)) progress.extendedTo = now + resumeGraceMs;
}

/** Rounds that get nowhere end as well, however fast each of them is. */
function isGoingRound({ state, entries, actions, at }: InstallProgress): boolean {
  return (entries?.[state] ?? 0) > mostEntries(actions[at]?.slots.length ?? 0);
}

interface Try {
  readonly entry: StepEntry;
  readonly failures: number;
}

/** Undefined when the step is to be done again. */
async function tryStep(run: InstallRun, step: Step, { entry, failures }: Try): Promise<Taken | undefined> {
  const { state } = run.progress;
  const hung = hangs(run);
  try {
    const about = { name: `install ${state}`, attributes: { 'rackwright.step': state } };
    const work = traced(about, async (span) => {
      if (failures === 1 && run.progress.extendedTo !== undefined) await run.save();
      const taken = await step(run, { isResumed: entry.isResumed || failures > 1 });
      span.set({ 'rackwright.result': taken });
      return taken;
    });
    const result = await Promise.race([work, hung.promise]);
    if (result !== undefined) return { run, result };
    run.context.logger.error('a step of an install does not end with its time; the install goes on without it', {
      condition: run.work.condition.id,
      step: state,
    });
    const next = run.abandon();
    return { run: next, result: overdue(next) };
  } catch (error) {
    const result = await afterError(run, error, failures);
    return result === undefined ? undefined : { run, result };
  } finally {
    hung.stop();
  }
}

/** How long a step may take to notice that its time is over. */
const noticeMs = 30_000;

/** Resolves when a step goes on though its time was over a while ago. */
function hangs({ signal, work, context }: InstallRun) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let timer: Timer | undefined;
  const onEnd = (): void => {
    // Of work that lost its lease the worker takes care.
    if (!work.signal.aborted) timer = context.clock.after(noticeMs, () => resolve(undefined));
  };
  if (signal.aborted) onEnd();
  else signal.addEventListener('abort', onEnd, { once: true });
  return {
    promise,
    stop(): void {
      signal.removeEventListener('abort', onEnd);
      timer?.cancel();
    },
  };
}

/** What an error comes to; undefined when the step is to be done again. */
async function afterError(run: InstallRun, error: unknown, failures: number): Promise<InstallResult | undefined> {
  const { work, context } = run;
  if (work.signal.aborted) throw work.signal.reason;
  if (isCancel(error)) return afterCancel(run, error);
  if (isEngineError(error) || isBmcError(error, 'leaseLost')) throw error;
  if (run.isOver) return overdue(run);
  if (!mayPass(error)) return refused(run, error);
  run.lastError = error;
  run.say(`it is tried again soon: ${error instanceof Error ? error.message : String(error)}`);
  try {
    await run.saveSometimes();
    // A cancel may have come, which leaves less time.
    run.watchState();
    await run.pause(backoffDelay(context.settings.retry, failures, context.random));
  } catch (interruption) {
    if (isCancel(interruption)) return afterCancel(run, interruption);
    if (work.signal.aborted || !run.isOver) throw interruption;
    return overdue(run);
  }
  return undefined;
}

/** The time of the state is over: what the BMC was given may still be written, and the record says so. */
function overdue(run: InstallRun): InstallResult {
  const { progress, lastError } = run;
  const { message } = run.overdue();
  const code = lastError === undefined ? 'Timeout' : failureOf(lastError).code;
  const failure: ActionFailure = { code, message, messageIds: [], mayPass: false };
  if (isOfAction(progress)) {
    const danger = unsafeStates.includes(progress.state) ? `; ${run.leaveUnsettled()}` : '';
    run.fail({ ...failure, message: `${failure.message}${danger}` });
    return 'overdue';
  }
  end(run, failure);
  return 'overdue';
}

function isCancel(error: unknown): error is Error {
  return isEngineError(error, 'cancelled');
}

/** Undefined where there is nothing left to cancel: the host's power is put back all the same, and what came of it stands. */
function afterCancel(run: InstallRun, error: Error): 'cancelled' | undefined {
  if (!isTooLate(run)) return cancelled(run, error);
  // It has less time for that from now on.
  run.watchState();
  return undefined;
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

/** Errors of our own are thrown on: nobody can do anything about them here. */
function refused(run: InstallRun, error: unknown): InstallResult {
  if (!isBmcError(error) && !isFlasherError(error)) throw error;
  const failure = failureOf(error);
  if (isOfAction(run.progress)) return failAction(run, failure);
  end(run, failure);
  return 'fault';
}

/** What ends an action goes to what is done about that; the rest ends the install. */
function isOfAction({ state }: InstallProgress): boolean {
  return rowsFrom(installTable, state).some(
    ({ when, to }) => to === 'failing' && [when.result].flat().includes('refused'),
  );
}

function end(run: InstallRun, { code, message }: ActionFailure): void {
  const { progress } = run;
  progress.ending ??=
    progress.state === 'restoring-power'
      ? { code: 'PowerNotRestored', message: `the host could not be left as it was found: ${message}` }
      : { code, message };
  run.say(progress.ending.message);
}

/** What the BMC has taken may still be written or wait: then nothing is sent again and nothing is switched off. */
function failAction(run: InstallRun, failure: ActionFailure): InstallResult {
  const { action, progress } = run;
  const isTaken = action.started !== undefined && unsafeStates.includes(progress.state);
  if (!isTaken) return run.fail(failure);
  return run.fail({ ...failure, message: `${failure.message}; ${run.leaveUnsettled()}`, mayPass: false });
}

/** Goes to the next state and stores it before anything is done there. False when that was where a cancel struck. */
async function advance(run: InstallRun, result: InstallResult): Promise<boolean> {
  const { progress } = run;
  if (result === 'cancelled') leaveRest(run, `not started, since ${progress.ending?.message ?? 'it was cancelled'}`);
  const facts = { result, hasFailed: progress.ending !== undefined };
  const { now } = run;
  const from = progress.state;
  const step = takeStep(installTable, { state: from, since: progress.since }, facts, now);
  if (!step.isTaken) throw new TypeError(`an install cannot go on from ${from} with ${result}`);
  enter(progress, step.position.state, now);
  const isLastSafePoint = !unsafeStates.includes(from) && unsafeStates.includes(progress.state);
  if (!isLastSafePoint && !isStoredFirst(progress)) return true;
  try {
    await run.save();
  } catch (error) {
    if (!isCancel(error)) throw error;
    if (isTooLate(run)) return true;
    cancelled(run, error);
    return false;
  }
  const { cancel, condition } = run.work;
  if (!isLastSafePoint || cancel === undefined) return true;
  // Nothing of the unsafe state was begun yet, and its report is no safe point.
  progress.state = from;
  cancelled(run, new EngineError('cancelled', { id: condition.id, by: cancel.by }));
  return false;
}

function enter(progress: InstallProgress, state: InstallState, now: number): void {
  // Each image counts anew.
  const entries = progress.state === 'closing' ? {} : progress.entries;
  progress.entries = { ...entries, [state]: (entries?.[state] ?? 0) + 1 };
  progress.state = state;
  progress.since = now;
  delete progress.extendedTo;
}

/** A success is seen again by whoever comes after a crash; why something failed may not be. */
function isStoredFirst({ state, ending }: InstallProgress): boolean {
  if (state === 'restoring-power') return ending !== undefined;
  return !harmlessStates.includes(state) && !installTable.final.includes(state as never);
}

function outcomeOf(run: InstallRun): WorkOutcome {
  const { progress } = run;
  const { ending } = progress;
  if (ending !== undefined) run.say(`failed: ${ending.message}`);
  else if (progress.actions.length > 0) run.say(endMessage(progress, run.parameters));
  const stored = { status: run.status(), progress: storedProgress(progress) };
  return ending === undefined ? { outcome: 'succeeded', ...stored } : { outcome: 'failed', reason: ending, ...stored };
}

function endMessage(progress: InstallProgress, { isDryRun }: InstallParameters): string {
  const { installed } = countsOf(progress);
  const unmet = progress.skipped.filter(isUnmet);
  const rehearsed = unmet.length === 0 ? 'all' : String(installed);
  const done = isDryRun ? `dry run: ${rehearsed} could be installed` : `${installed} installed`;
  return unmet.length === 0 ? done : `${done}; ${unmet.length} skipped: ${describeSkipped(unmet)}`;
}
