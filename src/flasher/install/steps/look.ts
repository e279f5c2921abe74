import { type FirmwareSlot, type Verification, verifyInstalled } from '../../../bmc/index.ts';
import type { ActionProgress } from '../progress.ts';
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
    ...(action.firmware.version === ''
      ? { isNew: (slot: string, version: string) => isOtherThanBefore(action, { slot, version }) }
      : {}),
    consecutiveReads,
    pollMs: run.looksOf(poll),
    isOutageExpected: action.component === 'bmc',
    signal: run.signal,
    ...how,
  });
}

/** Whether a version is another than the slot had when the install was planned. */
export function isOtherThanBefore(
  { slots }: Pick<ActionProgress, 'slots'>,
  { slot, version }: Pick<FirmwareSlot, 'slot' | 'version'>,
): boolean {
  const known = slots.filter((each) => each.slot === slot);
  // A slot that is named after its version was not there before.
  return version !== '' && (known.length > 0 ? known : slots).every((each) => each.version !== version);
}

/** The end of an action as it should be. */
export function isInstalled(run: InstallRun, slots: readonly FirmwareSlot[]): 'installed' {
  const { action } = run;
  action.state = 'succeeded';
  action.percent = 100;
  if (action.firmware.version === '') {
    action.installedVersion = [...new Set(slots.map(({ version }) => version))].join(', ');
    run.sayOf(`it is installed: version ${action.installedVersion}`);
  } else run.sayOf('it is installed');
  return 'installed';
}
