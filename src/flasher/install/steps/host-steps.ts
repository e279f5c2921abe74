import { isBmcError, readPower, resetManager, setPower, waitForPost } from '../../../bmc/index.ts';
import { FlasherError } from '../../errors.ts';
import type { InstallResult } from '../install-table.ts';
import type { InstallRun } from '../run.ts';

const looks = 12;
const lookMs = 5000;

/** Looks whether the host is on, and notes it: so it is left in the end. */
export async function checkHost(run: InstallRun): Promise<InstallResult> {
  const { progress, parameters } = run;
  const isOff = (await powerAtRest(run)) === 'off';
  progress.powerBefore ??= isOff ? 'off' : 'on';
  if (parameters.mustHostBeOff && !isOff) {
    const message =
      'the host is on, and it was asked that it be off: switch it off or leave require_host_powered_off out';
    progress.ending = { code: 'HostIsOn', message };
    return 'fault';
  }
  if (!isOff) return 'ready';
  run.say(parameters.isDryRun ? 'the host is off; it would be switched on' : 'the host is off; it is switched on');
  return parameters.isDryRun ? 'ready' : 'is-off';
}

async function powerAtRest(run: InstallRun): Promise<'on' | 'off'> {
  for (let look = 1; look <= looks; look += 1) {
    const { state } = await readPower(run.bmc);
    if (state === 'on' || state === 'off') return state;
    // Where the BMC does not say, nobody's host is switched on or off for it.
    if (state === 'unknown') return 'on';
    await run.work.pause(lookMs);
  }
  throw new FlasherError('notAtRest', { origin: run.bmc.gate.origin });
}

/** Switches the host on. That it was off is stored by now. */
export async function powerOn(run: InstallRun): Promise<InstallResult> {
  await setPower(run.bmc, { target: 'on', signal: run.work.signal });
  await waitForHost(run);
  return 'done';
}

/** Waits for the end of the self-test; a host that does not get there is told of, and the BMC may still do its part. */
export async function waitForHost(run: InstallRun): Promise<void> {
  try {
    await waitForPost(run.bmc, { deadlineMs: run.context.settings.postMs, signal: run.work.signal });
  } catch (error) {
    if (!isBmcError(error, 'deadline')) throw error;
    run.say(`the host does not finish its self-test: ${error.message}`);
  }
}

/** Switches the host off, as some BMCs want it for some parts. */
export async function powerOff(run: InstallRun): Promise<InstallResult> {
  run.sayOf('the host is switched off for it');
  await setPower(run.bmc, { target: 'off', signal: run.work.signal });
  return 'done';
}

/** Restarts the BMC before the first image, as asked for. Done twice it does no harm. */
export async function resetBmcFirst(run: InstallRun): Promise<InstallResult> {
  run.say('the BMC is restarted before the first install');
  await resetManager(run.bmc, { signal: run.work.signal });
  run.progress.hasResetBmcFirst = true;
  return 'done';
}

/** Leaves the host's power as it was found, unless something may still be written. */
export async function restorePower(run: InstallRun): Promise<InstallResult> {
  const { progress, parameters } = run;
  const { powerBefore } = progress;
  if (powerBefore === undefined || parameters.isDryRun) return 'done';
  if (progress.actions.some(({ isUnsettled }) => isUnsettled === true)) {
    run.say('the power of the host is left as it is, since firmware may still be being written');
    return 'done';
  }
  const { state } = await readPower(run.bmc);
  if (state === powerBefore || state === 'unknown') return 'done';
  run.say(`the host is switched ${powerBefore} again`);
  await setPower(run.bmc, { target: powerBefore, signal: run.work.signal });
  return 'done';
}
