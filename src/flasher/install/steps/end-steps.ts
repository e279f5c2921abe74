import { clearJobQueue, isBmcError, resetManager } from '../../../bmc/index.ts';
import { told } from '../../plan/match-slots.ts';
import type { InstallResult } from '../install-table.ts';
import { decideAfterFailure } from '../judge-failure.ts';
import type { InstallRun, StepEntry } from '../run.ts';
import { switchHost, waitForHost } from './host-steps.ts';
import { isOtherRunning } from './other-update.ts';

/** Decides what to do about an action that failed: cure the BMC, try again, or give up. */
export async function afterFailure(run: InstallRun): Promise<InstallResult> {
  const { action, context, progress } = run;
  const decision = decideAfterFailure(action, context.settings);
  switch (decision.kind) {
    case 'retry':
      run.sayOf(`attempt ${action.attempts} failed; another begins: ${action.failure?.message ?? ''}`);
      action.sends = 0;
      await run.pause(decision.afterMs);
      return 'retry';
    case 'cure':
      action.cures.push(decision.cure);
      action.sends = 0;
      return 'cure';
    case 'give-up': {
      const { code = 'Failed', message = 'no reason was noted' } = action.failure ?? {};
      action.state = 'failed';
      action.message = message;
      progress.ending = { code, message: `${told(action.firmware)}: ${message}` };
      return 'give-up';
    }
  }
}

/** Frees an updater that is stuck. Done twice it does no harm. */
export async function cure(run: InstallRun): Promise<InstallResult> {
  const wanted = run.action.cures.at(-1);
  run.forgetFirmware();
  const { signal } = run;
  // What is being written is let end, which is waited for before the next sending.
  if (await isOtherRunning(run)) return 'done';
  if (wanted === 'reset-host') return restartForEarlier(run);
  if (wanted === 'clear-queue') {
    run.sayOf('the queue of jobs of the BMC is cleared');
    try {
      await clearJobQueue(run.bmc, { isForced: false });
      return 'done';
    } catch (error) {
      if (!isBmcError(error, 'unsupported')) throw error;
    }
  }
  run.sayOf('the BMC is restarted to free its updater');
  await resetManager(run.bmc, { signal });
  return 'done';
}

/** What an earlier install has written may wait for the host. */
async function restartForEarlier(run: InstallRun): Promise<InstallResult> {
  // A worker before this one restarted it, and waited.
  if (run.progress.postSince !== undefined) {
    await waitForHost(run);
    return 'done';
  }
  run.sayOf('the host is restarted, for which an earlier update may wait');
  const { wasSpared } = await switchHost(run, { target: 'reset', isSelfTestSpared: true });
  // A self-test is as good as the restart: what waits for one is taken up in it.
  if (wasSpared === true) run.sayOf('the host is in its self-test, which is waited for instead');
  await waitForHost(run);
  return 'done';
}

/** Ends an action and goes on to the next, unless it failed: then the rest is not started, and says why. */
export async function close(run: InstallRun, _entry: StepEntry): Promise<InstallResult> {
  const { action, progress, context } = run;
  await run.dropImage();
  if (action.endedAt === undefined) {
    action.endedAt = run.now;
    const { vendor, component } = action.firmware;
    context.metrics.actionEnded({ vendor, component, state: action.state }, run.now - (action.beganAt ?? run.now));
  }
  if (progress.ending !== undefined) {
    leaveRest(run, `not started, since ${progress.ending.message}`);
    return 'no-more';
  }
  progress.at += 1;
  return progress.at < progress.actions.length ? 'more' : 'no-more';
}

/** Says of all that was not brought to an end why not. */
export function leaveRest({ progress }: InstallRun, message: string): void {
  for (const action of progress.actions) {
    if (action.state !== 'pending' && action.state !== 'active') continue;
    action.state = 'not-started';
    action.message = message;
  }
}
