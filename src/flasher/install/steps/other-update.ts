import { findRunningUpdate, findUpdateWithHostOff, type RunningUpdate } from '../../../bmc/index.ts';
import { backoffDelay } from '../../../kube/index.ts';
import type { InstallResult } from '../install-table.ts';
import type { InstallRun } from '../run.ts';

/** True while the BMC is at an update that is not ours: nothing may be sent, switched off or reset meanwhile. */
export async function isOtherRunning({ bmc }: InstallRun): Promise<boolean> {
  return (await findRunningUpdate(bmc)) !== undefined;
}

/** The same just before something is done about the server: who cancels from now on must not have the host switched off. */
export async function meetOther(run: InstallRun): Promise<boolean> {
  const isRunning = await isOtherRunning(run);
  if (isRunning) run.action.isUnsettled = true;
  return isRunning;
}

/**
 * Lets an update end that somebody else began: another program, a person, or an install that was given up in its middle.
 * What it wrote is looked at afterwards as if nothing had been known.
 */
export async function awaitOther(run: InstallRun): Promise<InstallResult> {
  const other = await letEnd(run, findRunningUpdate, (message) =>
    run.sayOf(`the BMC is at another update, which is let end before anything is sent: ${message}`),
  );
  if (other === undefined) return otherEnded(run);
  return run.fail({ code: 'OtherUpdate', message: tooLong(run, other), messageIds: [], mayPass: false });
}

/** The same before there is a plan: a host that is off while its flash is written would spoil it if it were switched on. */
export async function keepOff(run: InstallRun): Promise<InstallResult> {
  const other = await letEnd(run, findUpdateWithHostOff, (message) =>
    run.say(`the BMC is at another update, which is let end before the host is switched on: ${message}`),
  );
  if (other === undefined) return 'done';
  run.progress.ending = { code: 'OtherUpdate', message: tooLong(run, other) };
  return 'fault';
}

/** Undefined once there is none any more; the update when it has taken too long. */
async function letEnd(
  run: InstallRun,
  look: typeof findRunningUpdate,
  say: (message: string) => void,
): Promise<RunningUpdate | undefined> {
  const { context, bmc } = run;
  const { settings, random } = context;
  const { first, most } = run.looksOf(settings.poll);
  // It may be the firmware of the BMC itself.
  const endOutage = bmc.gate.expectOutage();
  try {
    for (let looks = 1; ; looks += 1) {
      const other = await look(bmc);
      if (other === undefined || run.left(settings.followMs) < 1) return other;
      say(other.message);
      await run.saveSometimes();
      await run.pause(backoffDelay({ baseMs: first, maxMs: most }, looks, random));
    }
  } finally {
    endOutage();
  }
}

function otherEnded(run: InstallRun): InstallResult {
  const { action } = run;
  delete action.isUnsettled;
  // To be made to wait is no try that failed.
  action.attempts = Math.max(0, action.attempts - 1);
  run.forgetFirmware();
  run.sayOf('the other update has ended; it is looked at what is installed now');
  return 'done';
}

function tooLong({ context }: InstallRun, { message }: RunningUpdate): string {
  const minutes = Math.round(context.settings.followMs / 60_000);
  return `another update did not end within ${minutes} minutes, and nothing was sent beside it (${message}): look at the BMC, let it end or end it there, then ask again`;
}
