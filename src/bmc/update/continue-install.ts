import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { StartedUpdate } from '../firmware-update.ts';
import { findTask } from '../tasks/index.ts';
import { waysOf } from '../vendors/index.ts';
import { findBegun, findNewer } from './find-begun.ts';
import { defaultTimes, type PollOptions, pollProgress } from './poll-progress.ts';
import type { SendHooks } from './send-hooks.ts';
import { sendOnce } from './send-image.ts';

const checkDeadlineMs = 20 * 60_000;
const lookAgainMs = 15_000;

/** How an uploaded image is started. */
export interface ContinueOptions extends SendHooks {
  readonly signal?: AbortSignal;
  /** How long the BMC may check the image; 20 minutes unless given. */
  readonly checkDeadlineMs?: number;
  /** First and longest time between two looks at the check: 1 s and 30 s unless given. */
  readonly pollMs?: PollOptions['pollMs'];
}

/**
 * Starts an update that is only uploaded: waits until the BMC has checked the image, looks that nobody has started it
 * meanwhile, then posts StartUpdate. Updates that already run come back as they are. Throws BmcError: `taskFailed` when
 * the check failed, `ambiguous` as startInstall, also where it cannot be told whether it was started before.
 */
export async function continueInstall(
  bmc: Bmc,
  uploaded: StartedUpdate,
  options: ContinueOptions = {},
): Promise<StartedUpdate> {
  const { startTarget } = uploaded;
  if (startTarget === undefined) return uploaded;
  await waitForCheck(bmc, uploaded, options);
  const found = await findBegun(bmc, uploaded);
  if (found.kind === 'begun') return asBegun(bmc, uploaded, found);
  if (found.kind === 'not-begun') return postStart(bmc, uploaded, { ...options, startTarget });
  const { origin } = bmc.gate;
  throw new BmcError('ambiguous', { origin, method: 'POST', path: startTarget, detail: found.message });
}

/** The same right after the upload, by the process that made it: nothing of ours was started before. */
export async function startFirst(bmc: Bmc, uploaded: StartedUpdate, options: ContinueOptions): Promise<StartedUpdate> {
  const { startTarget } = uploaded;
  if (startTarget === undefined) return uploaded;
  const { clock } = bmc;
  const deadlineMs = options.checkDeadlineMs ?? checkDeadlineMs;
  const end = clock.monotonic() + deadlineMs;
  await waitForCheck(bmc, uploaded, options);
  for (;;) {
    const found = await findNewer(bmc, uploaded);
    if (found.kind === 'begun') return asBegun(bmc, uploaded, found);
    if (found.kind === 'not-begun' || uploaded.earlierTasks === undefined) break;
    if (clock.monotonic() >= end) {
      const what = 'seeing that no other update is in its course';
      throw new BmcError('deadline', { what, origin: bmc.gate.origin, ms: deadlineMs, detail: found.message });
    }
    await sleep(clock, lookAgainMs, options.signal);
  }
  return postStart(bmc, uploaded, { ...options, startTarget });
}

async function asBegun(
  bmc: Bmc,
  uploaded: StartedUpdate,
  found: { readonly taskUri: string | undefined },
): Promise<StartedUpdate> {
  const { startTarget: _, earlierTasks: __, monitorUri: ___, ...rest } = uploaded;
  const { taskUri } = found;
  const ways = waysOf((await bmc.root()).vendor);
  return { ...rest, taskUri, jobUri: taskUri === undefined ? undefined : ways.jobUriOf(taskUri) };
}

async function postStart(
  bmc: Bmc,
  uploaded: StartedUpdate,
  options: ContinueOptions & { readonly startTarget: string },
): Promise<StartedUpdate> {
  const { startTarget, signal, onWhole } = options;
  const ways = waysOf((await bmc.root()).vendor);
  const sending = { bmc, ways, onWhole, ...(signal === undefined ? {} : { signal }) };
  const found = findTask(await sendOnce(sending, { path: startTarget, body: {} }));
  const { startTarget: _, earlierTasks: __, ...rest } = uploaded;
  const taskUri = found.taskUri ?? uploaded.taskUri;
  return {
    ...rest,
    taskUri,
    jobUri: taskUri === undefined ? undefined : ways.jobUriOf(taskUri),
    startedAt: bmc.clock.now(),
    ...(found.monitorUri === undefined ? {} : { monitorUri: found.monitorUri }),
  };
}

async function waitForCheck(bmc: Bmc, uploaded: StartedUpdate, options: ContinueOptions): Promise<void> {
  const deadlineMs = options.checkDeadlineMs ?? checkDeadlineMs;
  const { signal, pollMs } = options;
  const task = uploaded.taskUri ?? 'of the upload';
  const { origin } = bmc.gate;
  const polled = pollProgress(bmc, uploaded, {
    deadlineMs,
    pollMs: { ...(pollMs ?? defaultTimes), isEndSudden: true },
    ...(signal === undefined ? {} : { signal }),
  });
  for await (const { progress } of polled) {
    if (progress.kind === 'waits-for-start') return;
    if (progress.kind !== 'failed') continue;
    const fields = { task, origin, state: 'failed', detail: progress.message };
    throw new BmcError('taskFailed', fields, { messageIds: progress.messageIds });
  }
  const detail = 'the image is uploaded but its check has not ended';
  throw new BmcError('deadline', { what: `the check of an image (task ${task})`, origin, ms: deadlineMs, detail });
}
