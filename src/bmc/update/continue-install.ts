import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { StartedUpdate } from '../firmware-update.ts';
import { findTask } from '../tasks/index.ts';
import { waysOf } from '../vendors/index.ts';
import { pollProgress } from './poll-progress.ts';
import { sendOnce } from './send-image.ts';

const checkDeadlineMs = 20 * 60_000;

/**
 * Starts an update that is only uploaded: waits until the BMC has checked the image, then posts StartUpdate. Updates that
 * already run come back as they are. Throws BmcError: `taskFailed` when the check failed, `ambiguous` as startInstall.
 */
export async function continueInstall(
  bmc: Bmc,
  uploaded: StartedUpdate,
  options: { readonly signal?: AbortSignal; readonly checkDeadlineMs?: number } = {},
): Promise<StartedUpdate> {
  const { startTarget, ...rest } = uploaded;
  if (startTarget === undefined) return uploaded;
  await waitForCheck(bmc, uploaded, options);
  const ways = waysOf((await bmc.root()).vendor);
  const { signal } = options;
  const sending = { bmc, ways, ...(signal === undefined ? {} : { signal }) };
  const reply = await sendOnce(sending, { path: startTarget, body: {} });
  const found = findTask(reply);
  const taskUri = found.taskUri ?? uploaded.taskUri;
  return {
    ...rest,
    taskUri,
    jobUri: taskUri === undefined ? undefined : ways.jobUriOf(taskUri),
    startedAt: bmc.clock.now(),
    ...(found.monitorUri === undefined ? {} : { monitorUri: found.monitorUri }),
  };
}

async function waitForCheck(
  bmc: Bmc,
  uploaded: StartedUpdate,
  options: { readonly signal?: AbortSignal; readonly checkDeadlineMs?: number },
): Promise<void> {
  const deadlineMs = options.checkDeadlineMs ?? checkDeadlineMs;
  const { signal } = options;
  const task = uploaded.taskUri ?? 'of the upload';
  const { origin } = bmc.gate;
  const polled = pollProgress(bmc, uploaded, { deadlineMs, ...(signal === undefined ? {} : { signal }) });
  for await (const { progress } of polled) {
    if (progress.kind === 'waits-for-start') return;
    if (progress.kind !== 'failed') continue;
    const fields = { task, origin, state: 'failed', detail: progress.message };
    throw new BmcError('taskFailed', fields, { messageIds: progress.messageIds });
  }
  const detail = 'the image is uploaded but its check has not ended';
  throw new BmcError('deadline', { what: `the check of an image (task ${task})`, origin, ms: deadlineMs, detail });
}
