import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { InstallOrder, StartedUpdate } from '../firmware-update.ts';
import { barePath } from '../redfish/index.ts';
import { findTask, listJobUris, listTaskUris } from '../tasks/index.ts';
import { waysOf } from '../vendors/index.ts';
import { startFirst } from './continue-install.ts';
import { openImage } from './image.ts';
import { type InstallPlan, planInstall } from './install-plan.ts';
import type { PollOptions } from './poll-progress.ts';
import type { SendHooks } from './send-hooks.ts';
import { type Sending, type Sent, sendMultipart, sendPull, sendPush } from './send-image.ts';
import { describeUpdateService } from './update-service.ts';

/** How an install is begun. */
export interface StartOptions extends SendHooks {
  readonly signal?: AbortSignal;
  /** Called where upload and start are two steps, between them, so that it can be stored. */
  readonly onUploaded?: (uploaded: StartedUpdate) => Promise<void>;
  /** How long the BMC may check an uploaded image before it is told to start; 20 minutes unless given. */
  readonly checkDeadlineMs?: number;
  /** First and longest time between two looks at that check: 1 s and 30 s unless given. */
  readonly pollMs?: PollOptions['pollMs'];
}

/**
 * Begins an update: looks what the BMC offers, checks image and BMC, and sends. What it returns must be stored before
 * anything else is done. Throws BmcError: `ambiguous` when the answer was lost (never send again, ask findStartedUpdate),
 * `blocked` with what to do first, `unsupported`, `badImage`, `refused` with the BMC's reason.
 */
export async function startInstall(bmc: Bmc, order: InstallOrder, options: StartOptions = {}): Promise<StartedUpdate> {
  const ways = waysOf((await bmc.root()).vendor);
  const offer = await describeUpdateService(bmc);
  const plan = planInstall({ origin: bmc.gate.origin, order, offer, ways });
  const targets = order.targets.length > 0 ? order.targets : await ways.defaultTargets(bmc, order);
  const { signal, onWhole } = options;
  const about = { bmc, order, offer, ways, targets, onWhole };
  const sending: Sending = { ...about, ...(signal === undefined ? {} : { signal }) };
  const sent = await carryOut(sending, plan);
  const { taskUri, monitorUri } = findTask(sent.reply);
  const isUploadOnly = plan.applyTime === 'OnStartUpdateRequest' && offer.startUpdate !== undefined;
  const started: StartedUpdate = {
    via: plan.via,
    taskUri,
    jobUri: taskUri === undefined ? undefined : ways.jobUriOf(taskUri),
    startedAt: bmc.clock.now(),
    component: order.component,
    ...(monitorUri === undefined ? {} : { monitorUri }),
    ...(plan.applyTime === undefined ? {} : { applyTime: plan.applyTime }),
    ...(isUploadOnly && offer.startUpdate !== undefined ? { startTarget: offer.startUpdate } : {}),
    ...(sent.warnings.length === 0 ? {} : { warnings: sent.warnings }),
  };
  if (!isUploadOnly) return started;
  const uploaded = { ...started, ...(await tasksNow(bmc)) };
  await options.onUploaded?.(uploaded);
  return startFirst(bmc, uploaded, options);
}

/** What is there once the image is uploaded; nothing where not all can be seen: then a list would be taken for whole. */
async function tasksNow(bmc: Bmc): Promise<Pick<StartedUpdate, 'earlierTasks'>> {
  const ways = waysOf((await bmc.root()).vendor);
  try {
    const tasks = await listTaskUris(bmc);
    const jobs = await listJobUris(bmc, ways.jobCollection);
    if (!tasks.isKept || tasks.gaps.length + jobs.gaps.length > 0) return {};
    return { earlierTasks: [...tasks.uris, ...jobs.uris].map(barePath) };
  } catch (error) {
    // The upload must be told of, whatever comes of this.
    if (isBmcError(error)) return {};
    throw error;
  }
}

async function carryOut(sending: Sending, plan: InstallPlan): Promise<Sent> {
  const { bmc, order, offer, ways } = sending;
  if (plan.via === 'pull') {
    await ways.checkBefore(bmc, order);
    return sendPull(sending, plan);
  }
  const image = await openImage(plan.file, { maxBytes: offer.maxImageSizeBytes });
  await ways.checkBefore(bmc, order);
  return plan.via === 'multipart' ? sendMultipart(sending, plan, image) : sendPush(sending, plan, image);
}
