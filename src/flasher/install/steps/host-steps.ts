import {
  findUpdateWithHostOff,
  isBmcError,
  type PowerChange,
  type PowerWish,
  powerIn,
  readPower,
  resetManager,
  setPower,
  waitForPost,
} from '../../../bmc/index.ts';
import { FlasherError } from '../../errors.ts';
import { takingDown } from '../../taking-down.ts';
import type { InstallResult } from '../install-table.ts';
import type { InstallRun } from '../run.ts';
import { isOtherRunning } from './other-update.ts';

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
  if (!parameters.isDryRun) return 'is-off';
  run.say('the host is off; it would be switched on');
  return 'ready';
}

async function powerAtRest(run: InstallRun): Promise<'on' | 'off'> {
  for (let look = 1; look <= looks; look += 1) {
    const { state } = powerIn(await run.system());
    if (state === 'on' || state === 'off') return state;
    // Where the BMC does not say, nobody's host is switched on or off for it.
    if (state === 'unknown') return 'on';
    await run.pause(lookMs);
  }
  throw new FlasherError('notAtRest', { origin: run.bmc.gate.origin });
}

const mostTries = 3;

/**
 * Switches or restarts the host. With the words with which BMCs refuse that for good some say that they are busy, or
 * that the host is between two states: what was refused was not done, so it is asked for again a little later.
 */
export async function switchHost(
  run: InstallRun,
  wish: Pick<PowerWish, 'target' | 'isSelfTestSpared'>,
): Promise<PowerChange> {
  const { retry, signMs } = run.context.settings;
  const { baseMs, maxMs } = retry;
  const { gracePeriodMs } = run.parameters;
  const grace = gracePeriodMs === undefined ? {} : { isGraceful: true, gracePeriodMs };
  for (let tries = 1; ; tries += 1) {
    try {
      return await setPower(run.bmc, { ...wish, ...grace, signMs, signal: run.signal });
    } catch (error) {
      if (!isBmcError(error, 'refused') || tries >= mostTries) throw error;
      await run.pause(Math.min(maxMs, baseMs * 4 ** (tries - 1)));
    }
  }
}

/** Switches the host on, unless it is off for an update of somebody else. That it was off is stored by now. */
export async function powerOn(run: InstallRun): Promise<InstallResult> {
  if ((await findUpdateWithHostOff(run.bmc)) !== undefined) return 'other-runs';
  run.progress.hasPoweredOn = true;
  const { sent } = await switchHost(run, { target: 'on' });
  // A host that had to be switched on once more begins anew.
  if (sent.length > 0) delete run.progress.postSince;
  await waitForHost(run);
  run.forgetMake();
  return 'done';
}

/**
 * Waits for the end of the self-test; a host that does not get there is told of, and the BMC may still do its part. When it
 * began is stored, so that the wait goes on in another worker: of some hosts only time tells that they are through.
 */
export async function waitForHost(run: InstallRun): Promise<void> {
  const { progress } = run;
  if (progress.postSince === undefined) {
    progress.postSince = run.now;
    await run.save();
  }
  const waitedMs = Math.max(0, run.now - progress.postSince);
  try {
    await waitForPost(run.bmc, { ...run.context.settings.post, waitedMs, signal: run.signal });
  } catch (error) {
    if (!isBmcError(error, 'deadline')) throw error;
    run.say(`the host does not finish its self-test: ${error.message}`);
  }
  delete progress.postSince;
}

/** Switches the host off, as some BMCs want it for some parts. */
export async function powerOff(run: InstallRun): Promise<InstallResult> {
  run.sayOf(takingDown('the host is switched off for it', run.parameters));
  await run.save();
  await switchHost(run, { target: 'off' });
  return 'done';
}

/** Restarts the BMC before the first image, as asked for. Done twice it does no harm. */
export async function resetBmcFirst(run: InstallRun): Promise<InstallResult> {
  run.say('the BMC is restarted before the first install');
  await resetManager(run.bmc, { signal: run.signal });
  run.forgetFirmware();
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
  if (await isOtherRunning(run)) {
    run.say('the power of the host is left as it is, since the BMC is at another update');
    return 'done';
  }
  run.say(`the host is switched ${powerBefore} again`);
  await run.save();
  await switchHost(run, { target: powerBefore });
  return 'done';
}
