import { type Verification, verifyInstalled } from '../../../bmc/index.ts';
import type { InstallRun } from '../run.ts';

/** A short look at the versions. */
export async function look(
  run: InstallRun,
  how: { readonly deadlineMs: number; readonly isStagedEnough: boolean },
): Promise<Verification> {
  const { action, context } = run;
  const { consecutiveReads, poll } = context.settings.verify;
  const match = await run.isMeant();
  return verifyInstalled(run.bmc, {
    match,
    known: run.knownSlots.filter(match),
    version: action.firmware.version,
    consecutiveReads,
    pollMs: run.looksOf(poll),
    isOutageExpected: action.component === 'bmc',
    signal: run.signal,
    ...how,
  });
}

/** The end of an action as it should be. */
export function isInstalled(run: InstallRun): 'installed' {
  const { action } = run;
  action.state = 'succeeded';
  action.percent = 100;
  run.sayOf('it is installed');
  return 'installed';
}
