import { BmcError, isBmcError, readBoot, readProgress, resetManager, setBootOverride } from '../../../bmc/index.ts';
import { startAfterShutdown, takingDown } from '../../taking-down.ts';
import type { InstallResult } from '../install-table.ts';
import { wantReset } from '../progress.ts';
import type { InstallRun, StepEntry } from '../run.ts';
import { switchHost, waitForHost } from './host-steps.ts';
import { isInstalled, look } from './look.ts';

/** Resets what must be reset for the new firmware to run: once, and never while it may be written. */
export async function activate(run: InstallRun, { isResumed }: StepEntry): Promise<InstallResult> {
  const { action, context } = run;
  const { reset: needed } = await run.activation();
  if (action.reset === undefined && needed !== 'none') wantReset(action, needed);
  const { reset } = action;
  if (reset === undefined || reset.isDone) return 'verify';
  if (isResumed && reset.count > 0) return 'asked-before';
  if (reset.count >= context.settings.maxResets) {
    const message = `the ${reset.what} was restarted ${reset.count} times and the firmware still waits for it`;
    return run.fail({ code: 'NotActivated', message, mayPass: false });
  }
  reset.count += 1;
  delete run.progress.postSince;
  const restarted = takingDown('the host is restarted for it', run.parameters);
  run.sayOf(reset.what === 'host' ? restarted : 'the BMC is restarted for it');
  await run.save();
  const carried = await carryOut(run, reset.what);
  if (carried === 'unknown') return 'asked-before';
  if (carried === 'spared') {
    reset.count -= 1;
    reset.hasSpared = true;
    return 'follow';
  }
  reset.isDone = true;
  return action.isTaskOver === true ? 'verify' : 'follow';
}

/**
 * Asks for the reset. `unknown`: it cannot be told whether it was done. `spared`: the host was in its self-test, in which
 * it takes up what waits for a restart; another restart there could be the end of the part.
 */
async function carryOut(run: InstallRun, what: 'host' | 'bmc'): Promise<'done' | 'unknown' | 'spared'> {
  const { signal } = run;
  if (what === 'bmc') {
    await resetManager(run.bmc, { signal });
    return 'done';
  }
  const { action } = run;
  const mayBeTakenUp = action.isTaskOver !== true && action.reset?.hasSpared !== true;
  await overrideBoot(run);
  const { isPowerCycle } = await run.activation();
  let wasSpared: boolean | undefined;
  try {
    const target = isPowerCycle ? 'cycle' : 'reset';
    ({ wasSpared } = await switchHost(run, { target, isSelfTestSpared: mayBeTakenUp }));
  } catch (error) {
    if (isBmcError(error, 'ambiguous')) return 'unknown';
    throw error;
  }
  await waitForHost(run);
  return wasSpared === true ? 'spared' : 'done';
}

/**
 * A host that nobody uses boots into the UEFI shell, or from the network where it has none, so that no operating system
 * starts while firmware is applied. One that was in use must come back with its own.
 */
async function overrideBoot(run: InstallRun): Promise<void> {
  const { parameters, progress } = run;
  const isUnused = progress.powerBefore === 'off';
  const wish = parameters.boot === 'auto' ? (isUnused ? 'uefi-shell' : 'as-configured') : parameters.boot;
  if (wish === 'as-configured') return;
  try {
    const { targets = [] } = await readBoot(run.bmc);
    const wanted = wish === 'pxe' ? ['Pxe'] : ['UefiShell', 'Pxe'];
    const target = wanted.find((each) => targets.includes(each));
    if (target === undefined) return;
    await setBootOverride(run.bmc, { enabled: 'Once', target });
  } catch (error) {
    // Where the next boot goes is a convenience; the restart itself is what counts.
    if (!isBmcError(error, 'refused', 'unsupported', 'notFound')) throw error;
    run.action.warnings.push(`the next boot could not be chosen: ${error.message}`);
  }
}

const recheckMs = 2 * 60_000;

/**
 * A reset was asked for, and it is not known whether it was done. A second one in the middle of the writing could be the
 * end of the part: the self-test is waited for, and then what is seen decides.
 */
export async function recheck(run: InstallRun): Promise<InstallResult> {
  const { action } = run;
  run.sayOf('it is found out whether the restart was done');
  if (action.reset?.what === 'host') {
    const { gracePeriodMs } = run.parameters;
    await startAfterShutdown(run.bmc, { gracePeriodMs, pause: (ms) => run.pause(ms), signal: run.signal });
    await waitForHost(run);
  }
  const found = await look(run, { deadlineMs: recheckMs, isStagedEnough: true });
  // A version that was there before says nothing about the restart.
  if (found.kind === 'installed' && action.wasThere !== true) return isInstalled(run, found.slots);
  const progress = action.started === undefined ? undefined : await readProgress(run.bmc, action.started);
  switch (progress?.kind) {
    case 'running':
      // One that is queued still waits for the reset, and following it will tell.
      if (action.reset !== undefined && progress.isQueued !== true) action.reset.isDone = true;
      return 'running';
    case 'unreachable':
      // Asked again by the runner, as long as the state may take.
      throw new BmcError('unreachable', { origin: run.bmc.gate.origin, detail: progress.message });
    case 'failed':
      return run.fail({
        code: 'TaskFailed',
        message: progress.message,
        messageIds: progress.messageIds,
        mayPass: true,
      });
    default:
      return 'still-waits';
  }
}
