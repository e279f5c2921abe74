import { type FirmwareSlot, isSameVersion, mustHostBeOff, readInventory, readPower } from '../../../bmc/index.ts';
import { FlasherError } from '../../errors.ts';
import { assessPlan, describeSkipped, isUnmet, type PlanOutcome } from '../../plan/assess-plan.ts';
import type { Firmware } from '../../plan/firmware.ts';
import { told } from '../../plan/match-slots.ts';
import { goingBack, type InstallPlan, type PlanInput, planInstall } from '../../plan/plan-install.ts';
import type { InstallResult } from '../install-table.ts';
import type { ActionProgress } from '../progress.ts';
import type { InstallRun, StepEntry } from '../run.ts';
import { isOtherThanBefore } from './look.ts';
import { meetOther } from './other-update.ts';

/** Reads what is installed, chooses what to do, and freezes it. */
export async function plan(run: InstallRun): Promise<InstallResult> {
  const { made, server } = await makePlan(run);
  if (isRefused(run, made)) return 'fault';
  const [unread] = made.problems;
  if (unread !== undefined) throw new FlasherError('unreadable', { detail: unread.message });
  return freezePlan(run, made, assessPlan(made, { server, isHostOff: false }));
}

/**
 * Plans while the host is off, so that a host is switched on only for what can be installed. Where its BMC may show less of a
 * host that is off, the host is switched on and the plan is made then.
 */
export async function assessFit(run: InstallRun): Promise<InstallResult> {
  const { made, server } = await makePlan(run);
  if (isRefused(run, made)) return 'fault';
  const outcome = made.problems.length > 0 ? 'unsure' : assessPlan(made, { server, isHostOff: true });
  if (outcome === 'satisfied' || outcome === 'nothing-fits') return freezePlan(run, made, outcome);
  run.say('the host is off; it is switched on');
  return 'fits';
}

interface MadePlan {
  readonly made: InstallPlan;
  readonly server: PlanInput['inventory'];
}

async function makePlan(run: InstallRun): Promise<MadePlan> {
  const firmwares = await wantedFirmwares(run);
  const server = await readServer(run, firmwares);
  return { made: planInstall({ inventory: server, firmwares, parameters: run.parameters }), server };
}

function isRefused({ progress }: InstallRun, { problems }: InstallPlan): boolean {
  const wrong = problems.filter(({ isTransient }) => !isTransient);
  if (wrong.length === 0) return false;
  progress.ending = { code: 'BadPlan', message: wrong.map(({ message }) => message).join('; ') };
  return true;
}

function freezePlan(run: InstallRun, made: InstallPlan, outcome: PlanOutcome): InstallResult {
  const { progress } = run;
  progress.actions = made.actions.map(actionOf);
  progress.skipped = made.skipped.map(({ firmware, why, message }) => ({ firmware, why, message }));
  progress.at = 0;
  if (outcome === 'nothing-fits') {
    const message = `nothing that was requested can be installed on this server: ${describeSkipped(made.skipped)}`;
    progress.ending = { code: 'NothingFits', message };
    return 'fault';
  }
  run.say(planMessage(made));
  return made.actions.length === 0 ? 'nothing' : 'planned';
}

async function wantedFirmwares({ parameters, context }: InstallRun): Promise<readonly Firmware[]> {
  const { firmwares, firmwareSetId } = parameters;
  if (firmwares.length > 0 || firmwareSetId === undefined) return firmwares;
  const set = await context.catalogue.readSet(firmwareSetId);
  if (set === undefined) throw new FlasherError('unknownSet', { set: firmwareSetId });
  return set;
}

/** Only drives need more than the list of firmware: some inventories name them by their bay alone. */
async function readServer(run: InstallRun, firmwares: readonly Firmware[]): Promise<PlanInput['inventory']> {
  if (firmwares.some(({ component }) => component === 'drive')) {
    const { vendor, system, firmware, drives, gaps } = await readInventory(run.bmc);
    const named = drives.filter((drive): drive is typeof drive & { model: string } => drive.model !== undefined);
    const driveModels = new Map(named.map(({ id, model }) => [id, model]));
    return { vendor, manufacturer: system.manufacturer, model: system.model, slots: firmware, driveModels, gaps };
  }
  const { manufacturer, model } = await run.make();
  const { slots, gaps } = await run.firmware();
  return { vendor: await run.vendor(), manufacturer, model, slots, gaps };
}

function actionOf({ firmware, slots }: InstallPlan['actions'][number]): ActionProgress {
  const back = slots.filter(({ isGoingBack }) => isGoingBack);
  return {
    firmware,
    component: slots[0]?.component ?? 'other',
    slots: slots.map(({ slot, uri, version }) => ({ slot, uri, version })),
    state: 'pending',
    message: '',
    attempts: 0,
    sends: 0,
    cures: [],
    warnings: back.length === 0 ? [] : [goingBack(firmware, back)],
    ...(back.length === 0 ? {} : { isGoingBack: true }),
  };
}

function planMessage({ actions, skipped }: InstallPlan): string {
  const unmet = skipped.filter(isUnmet);
  if (actions.length === 0) {
    const left = unmet.length === 0 ? '' : `; ${unmet.length} skipped: ${describeSkipped(unmet)}`;
    return `nothing to install: ${skipped.length - unmet.length} installed already${left}`;
  }
  const names = actions
    .map(({ firmware, slots }) => {
      const isBack = slots.some(({ isGoingBack }) => isGoingBack);
      return `${told(firmware)}${isBack ? ' (a step back from what is installed)' : ''}`;
    })
    .join(', ');
  const current = skipped.length - unmet.length;
  const left = unmet.length === 0 ? '' : `; ${unmet.length} skipped: ${describeSkipped(unmet)}`;
  return `to be installed: ${names}${current === 0 ? '' : `; ${current} installed already`}${left}`;
}

/** Looks what is installed just before it is begun with, and again before each further attempt. */
export async function checkInstalled(run: InstallRun): Promise<InstallResult> {
  const { action } = run;
  const { version } = action.firmware;
  const vendor = await run.vendor();
  const isMeant = await run.isMeant();
  const { slots } = await run.firmware();
  const meant = slots.filter(isMeant);
  action.state = 'active';
  action.beganAt ??= run.now;
  if (meant.length === 0) throw new FlasherError('unreadable', { detail: `there is no ${action.component} any more` });
  const behind =
    version === '' ? unchanged(run, meant) : meant.filter((slot) => !isSameVersion(vendor, slot.version, version));
  action.targets = (run.parameters.isForced ? meant : behind).map(({ slot }) => slot);
  action.wasThere = behind.length === 0;
  if (run.parameters.isForced) return 'outdated';
  if (behind.length === 0) {
    action.state = 'succeeded';
    run.sayOf('it is installed already');
    if (version === '') action.installedVersion = meant[0]?.version ?? '';
    return 'current';
  }
  const isStaged = behind.every(
    ({ pendingVersion }) =>
      pendingVersion !== undefined && version !== '' && isSameVersion(vendor, pendingVersion, version),
  );
  if (!isStaged || run.parameters.isDryRun) return 'outdated';
  if (await meetOther(run)) return 'other-runs';
  run.sayOf('it is staged already and needs a restart');
  action.isTaskOver = true;
  return 'staged';
}

/**
 * The slots that an image of unknown version is to be written to: all at first. After an attempt of ours a version that is
 * another than before is the one that it brought.
 */
function unchanged({ action }: InstallRun, meant: readonly FirmwareSlot[]): readonly FirmwareSlot[] {
  if (action.attempts === 0) return meant;
  return meant.filter(({ slot, version }) => !isOtherThanBefore(action, { slot, version }));
}

/** Fetches the image and checks it. A rehearsal ends here. */
export async function fetchImage(run: InstallRun, { isResumed }: StepEntry): Promise<InstallResult> {
  const { action, parameters } = run;
  if (!isResumed) action.attempts += 1;
  run.sayOf('the image is fetched and checked');
  await run.image();
  if (!parameters.isDryRun) return 'fetched';
  action.state = 'succeeded';
  run.sayOf('it would be installed now (dry run)');
  return 'rehearsed';
}

/** What has to be done to server and BMC before the image is sent. */
export async function prepare(run: InstallRun): Promise<InstallResult> {
  const { parameters, progress, action } = run;
  const isResetDue = parameters.doesResetBmcFirst && progress.hasResetBmcFirst !== true;
  if (isResetDue) return (await meetOther(run)) ? 'other-runs' : 'needs-bmc-reset';
  const mustBeOff = mustHostBeOff(await run.vendor(), action.component);
  if (!mustBeOff || (await readPower(run.bmc)).state === 'off') return 'ready';
  return (await meetOther(run)) ? 'other-runs' : 'needs-host-off';
}
