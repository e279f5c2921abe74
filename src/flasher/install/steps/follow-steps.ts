import { followInstall, goneSettleMs, type InstallLook, type InstallOutcome } from '../../../bmc/index.ts';
import type { InstallResult } from '../install-table.ts';
import { isHopeless } from '../judge-failure.ts';
import { wantReset } from '../progress.ts';
import type { InstallRun } from '../run.ts';
import { isInstalled, look } from './look.ts';

/** Follows the update on the BMC until that is done with its part, or waits for somebody. */
export async function follow(run: InstallRun): Promise<InstallResult> {
  const { action, context, work } = run;
  const { started } = action;
  if (started === undefined) return 'gone';
  const outcome = await followInstall(run.bmc, started, {
    deadlineMs: context.settings.followMs,
    pollMs: context.settings.poll,
    signal: work.signal,
    hasReset: action.reset?.isDone === true,
    onProgress: (look) => showLook(run, look),
  });
  return judge(run, outcome);
}

async function showLook(run: InstallRun, { progress, isStalled }: InstallLook): Promise<undefined | 'stop'> {
  if (progress.kind === 'running' && progress.percent !== undefined) run.action.percent = progress.percent;
  const stalled = isStalled ? ' (nothing has moved for a while)' : '';
  run.sayOf(
    progress.kind === 'unreachable' ? 'the BMC does not answer while it is updated' : `the BMC works on it${stalled}`,
  );
  await run.saveSometimes();
  // Who stops can hand over here: the update goes on by itself, and all about it is stored.
  return isHandingOver(run) ? 'stop' : undefined;
}

function isHandingOver({ work }: InstallRun): boolean {
  return work.ending.aborted && work.cancel === undefined;
}

function judge(run: InstallRun, outcome: InstallOutcome): InstallResult {
  const { action, work } = run;
  switch (outcome.kind) {
    case 'completed':
      action.isTaskOver = true;
      if (outcome.hasWarning) action.warnings.push(outcome.message);
      return 'completed';
    case 'gone':
      action.isTaskOver = true;
      return 'gone';
    case 'waits-for-reset':
      wantReset(action, outcome.reset);
      return 'waits-for-reset';
    case 'waits-for-start':
      return 'uploaded';
    case 'failed': {
      const { message, messageIds } = outcome;
      return run.fail({ code: 'TaskFailed', message, messageIds, mayPass: !isHopeless(outcome) });
    }
    case 'deadline':
      action.isUnsettled = true;
      return run.fail({ code: 'Timeout', message: outcome.message, mayPass: false });
    case 'stopped':
      throw work.ending.reason;
  }
}

/** The task is gone, and it may still be written: what is seen decides, or time. */
export async function settle(run: InstallRun): Promise<InstallResult> {
  run.sayOf('the BMC shows no more of the update; its version will tell');
  const found = await look(run, { deadlineMs: goneSettleMs, isStagedEnough: true });
  return found.kind === 'installed' ? isInstalled(run) : 'not-there';
}

/** Reads the inventory until it shows the new version. */
export async function verify(run: InstallRun): Promise<InstallResult> {
  const { action, context } = run;
  run.sayOf('it is looked whether the new version runs');
  const hasReset = action.reset?.isDone === true;
  const found = await look(run, { deadlineMs: context.settings.verify.deadlineMs, isStagedEnough: !hasReset });
  if (found.kind === 'installed') return isInstalled(run);
  const resets = action.reset?.count ?? 0;
  if (found.kind === 'staged' && resets < context.settings.maxResets) {
    wantReset(action, action.component === 'bmc' ? 'bmc' : 'host');
    return 'not-there';
  }
  const { fallback } = await run.activation();
  if (fallback !== 'none' && action.hasFallenBack !== true) {
    action.hasFallenBack = true;
    run.sayOf(`the new version does not show; the ${fallback} is restarted for it`);
    wantReset(action, fallback);
    return 'not-there';
  }
  return run.fail({ code: 'NotInstalled', message: `the BMC was done with it, but ${found.message}`, mayPass: false });
}
