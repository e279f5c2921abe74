import {
  continueInstall,
  findStartedUpdate,
  type InstallOrder,
  isBmcError,
  markBeforeInstall,
  type StartedUpdate,
  sentUnseenMs,
  startInstall,
} from '../../../bmc/index.ts';
import { backoffDelay } from '../../../kube/index.ts';
import type { InstallResult } from '../install-table.ts';
import type { InstallRun, StepEntry } from '../run.ts';
import { meetOther } from './other-update.ts';

/** Notes what is on the BMC before the image is sent, so that an answer that is lost can be made up for. */
export async function mark(run: InstallRun): Promise<InstallResult> {
  const { action } = run;
  await run.takeSlot();
  // As late as can be: for a slot it may have waited long.
  if (await meetOther(run)) return 'other-runs';
  action.mark = await markBeforeInstall(run.bmc, await run.order(), await run.firmware());
  run.forgetFirmware();
  action.sends += 1;
  delete action.started;
  delete action.wholeAt;
  delete action.isTaskOver;
  delete action.hasTaskSucceeded;
  delete action.reset;
  delete action.percent;
  return 'marked';
}

/**
 * Sends the image, once. Whoever comes here after a crash sends nothing: it is found out first whether the BMC has it.
 */
export async function send(run: InstallRun, { isResumed }: StepEntry): Promise<InstallResult> {
  if (isResumed) return 'lost';
  const { action, context } = run;
  run.sayOf('the image is sent to the BMC');
  context.metrics.sent(action.firmware.component);
  try {
    took(run, await start(run, await run.order()));
    return 'started';
  } catch (error) {
    if (isBmcError(error, 'ambiguous')) return 'lost';
    if (isBmcError(error, 'badImage')) (await run.image()).suspect();
    // Uploaded, and then something went wrong in passing: the rest goes on from there.
    if (action.started?.startTarget !== undefined && isBmcError(error) && error.retry === 'transient')
      return 'uploaded';
    throw error;
  }
}

async function start(run: InstallRun, order: InstallOrder): Promise<StartedUpdate> {
  const options = {
    signal: run.signal,
    onWhole: () => noteWhole(run),
    checkDeadlineMs: run.context.settings.checkImageMs,
    pollMs: run.looksOf(run.context.settings.poll),
    onUploaded: async (uploaded: StartedUpdate) => {
      took(run, uploaded);
      await run.save();
    },
  };
  if (!run.parameters.isForced) return startInstall(run.bmc, order, options);
  try {
    return await startInstall(run.bmc, { ...order, isForced: true }, options);
  } catch (error) {
    // BMCs that know no force are told of before anything is sent; they take the image without.
    if (!isBmcError(error, 'unsupported')) throw error;
    return startInstall(run.bmc, order, options);
  }
}

async function noteWhole(run: InstallRun): Promise<void> {
  run.action.wholeAt = run.now;
  await run.save();
}

function took({ action }: InstallRun, started: StartedUpdate): void {
  action.started = started;
  for (const warning of started.warnings ?? []) if (!action.warnings.includes(warning)) action.warnings.push(warning);
}

/** Finds out whether the BMC took an image whose answer was lost. Nothing is sent while that is not certain. */
export async function find(run: InstallRun): Promise<InstallResult> {
  const { action, context, bmc } = run;
  const { settings, random } = context;
  run.sayOf('it is found out whether the BMC took the image');
  const order = await run.order();
  const endOutage = action.component === 'bmc' ? bmc.gate.expectOutage() : () => {};
  try {
    for (let failures = 1; ; failures += 1) {
      const finding = await findStartedUpdate(bmc, order, action.mark ?? action.beganAt ?? 0);
      if (finding.kind === 'started') {
        took(run, finding.started);
        return finding.started.startTarget === undefined ? 'started' : 'uploaded';
      }
      if (finding.kind === 'not-started' && !mayShowLater(run)) return again(run, finding.message);
      if (run.left(settings.findMs) < 1) return unclear(run, finding.message);
      await run.saveSometimes();
      await run.pause(backoffDelay(settings.retry, failures, random));
    }
  } finally {
    endOutage();
  }
}

/** A BMC that may have the whole image may be at it for a while before it shows anything. */
function mayShowLater(run: InstallRun): boolean {
  const { wholeAt } = run.action;
  if (wholeAt === undefined || run.now >= wholeAt + sentUnseenMs) return false;
  const until = new Date(wholeAt + sentUnseenMs).toISOString();
  run.sayOf(`the BMC shows nothing of the image that it may have; unless it does, it is sent again at ${until}`);
  return true;
}

function again(run: InstallRun, message: string): InstallResult {
  const { action } = run;
  if (action.sends < run.context.settings.maxSends) {
    run.sayOf(`the BMC did not take the image (${message}); it is sent again`);
    return 'not-started';
  }
  return run.fail({
    code: 'NotTaken',
    message: `the image was sent ${action.sends} times and the BMC took it never: ${message}`,
    mayPass: false,
  });
}

function unclear(run: InstallRun, message: string): InstallResult {
  return run.fail({
    code: 'Ambiguous',
    message: `it cannot be told whether the BMC took the image, so it is not sent again: ${message}; ${run.leaveUnsettled()}`,
    mayPass: false,
  });
}

/** Starts what was uploaded. After a crash it may have been started: then that is found out first. */
export async function startUploaded(run: InstallRun, { isResumed }: StepEntry): Promise<InstallResult> {
  const { action, context } = run;
  if (isResumed || action.started === undefined) return 'lost';
  run.sayOf('the BMC checks the image and is told to install it');
  const { checkImageMs: checkDeadlineMs, poll } = context.settings;
  const pollMs = run.looksOf(poll);
  const options = { signal: run.signal, checkDeadlineMs, pollMs, onWhole: () => noteWhole(run) };
  try {
    took(run, await continueInstall(run.bmc, action.started, options));
    return 'started';
  } catch (error) {
    if (isBmcError(error, 'ambiguous')) return 'lost';
    throw error;
  }
}
