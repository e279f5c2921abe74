import {
  followInstall,
  type InstallLook,
  type InstallOutcome,
  readProgress,
  type Verification,
} from '../../../bmc/index.ts';
import type { InstallResult } from '../install-table.ts';
import { isHopeless } from '../judge-failure.ts';
import { wantReset } from '../progress.ts';
import type { InstallRun } from '../run.ts';
import { hearChanges } from './hear-changes.ts';
import { isInstalled, look } from './look.ts';

/** Follows the update on the BMC until that is done with its part, or waits for somebody. */
export async function follow(run: InstallRun): Promise<InstallResult> {
  const { action, context } = run;
  const { started } = action;
  if (started === undefined) return 'gone';
  const restarts = restartsOf(run);
  const ear = context.settings.areEventsHeard ? hearChanges(run, started) : undefined;
  try {
    const outcome = await followInstall(run.bmc, started, {
      deadlineMs: run.left(context.settings.followMs),
      startPatienceMs: context.settings.startPatienceMs,
      pollMs: { ...run.looksOf(context.settings.poll), awayMs: restarts?.shortest() },
      onReturn: (awayMs) => restarts?.note(awayMs),
      signal: run.signal,
      hasReset: action.reset?.isDone === true,
      onProgress: (look) => showLook(run, look),
      ...(ear === undefined ? {} : { listen: ear.listen }),
    });
    return judge(run, outcome);
  } finally {
    await ear?.close();
  }
}

/** What is known of restarts that take as long: of servers of one model that get the same kind of firmware. */
function restartsOf({ context, action, knownMake }: InstallRun) {
  const { restarts } = context;
  if (restarts === undefined || knownMake === undefined) return undefined;
  const kind = `${knownMake.manufacturer}\n${knownMake.model}\n${action.component}`;
  return { shortest: () => restarts.shortest(kind), note: (awayMs: number) => restarts.note(kind, awayMs) };
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
      action.hasTaskSucceeded = true;
      // What was taken up in a self-test that somebody else began has had its restart.
      if (action.reset?.hasSpared === true) action.reset.isDone = true;
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
      return run.fail({ code: 'Timeout', message: `${outcome.message}; ${run.leaveUnsettled()}`, mayPass: false });
    case 'stopped':
      throw work.ending.reason;
  }
}

/** The task is gone, and it may still be written: what is seen decides, or time. */
export async function settle(run: InstallRun): Promise<InstallResult> {
  const { settleMs } = run.context.settings;
  run.sayOf('the BMC shows no more of the update; its version will tell');
  if (run.action.wasThere === true) {
    // It was there before, too: only time tells that nothing is being written any more.
    await waitLong(run, run.left(settleMs));
    return 'not-there';
  }
  const found = await look(run, { deadlineMs: run.left(settleMs), isStagedEnough: true });
  return found.kind === 'installed' ? isInstalled(run, found.slots) : 'not-there';
}

/** In pieces, each with a look at the BMC: who waits is at work, and keeps its lease. */
async function waitLong(run: InstallRun, ms: number): Promise<void> {
  const { clock, settings } = run.context;
  const end = clock.monotonic() + ms;
  for (let left = ms; left >= 1; left = end - clock.monotonic()) {
    await run.pause(Math.min(left, run.looksOf(settings.poll).most));
    if (run.action.started !== undefined) await readProgress(run.bmc, run.action.started);
    await run.saveSometimes();
  }
}

/** Reads the inventory until it shows the new version. */
export async function verify(run: InstallRun): Promise<InstallResult> {
  const { action, context } = run;
  run.sayOf('it is looked whether the new version runs');
  const hasReset = action.reset?.isDone === true;
  const deadlineMs = run.left(context.settings.verify.deadlineMs);
  const found = await look(run, { deadlineMs, isStagedEnough: !hasReset });
  if (found.kind === 'installed') return isInstalled(run, found.slots);
  if (isAsBefore(run, found)) return isInstalled(run, found.slots);
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
  const isGone = action.isTaskOver === true && action.hasTaskSucceeded !== true;
  const came = isGone ? 'the task of the update is gone from the BMC, and' : 'the BMC was done with it, but';
  const message = `${came} ${found.message}`;
  const mayPass = action.started?.isAssumed === true;
  if (!isPartlyDone(run, found)) return run.fail({ code: 'NotInstalled', message, mayPass });
  // Some BMCs write one part at a time: each round leaves fewer, so that it comes to an end.
  action.attempts = Math.max(0, action.attempts - 1);
  return run.fail({ code: 'PartlyInstalled', message, mayPass: true });
}

/**
 * An image of unknown version that the BMC has installed, as it says, and no other version: it brought the one that was
 * there.
 */
function isAsBefore(
  { action }: InstallRun,
  found: Verification,
): found is Extract<Verification, { kind: 'other-version' }> {
  if (action.firmware.version !== '' || action.hasTaskSucceeded !== true || found.kind !== 'other-version')
    return false;
  action.warnings.push('the BMC says that it is installed, and the version is the one from before');
  return true;
}

function isPartlyDone({ action }: InstallRun, found: Verification): boolean {
  if (found.kind !== 'other-version' || action.targets === undefined) return false;
  return found.slots.length < action.targets.length;
}
