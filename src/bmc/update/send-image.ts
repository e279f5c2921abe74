import { backoffDelay, sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { InstallOrder } from '../firmware-update.ts';
import type { GateReply, GateRequest } from '../gate/gate.ts';
import type { JsonObject } from '../json.ts';
import { isSamePath, listPaths, toBmcPath } from '../redfish/index.ts';
import { findTask } from '../tasks/index.ts';
import type { UpdateOffer } from '../update-offer.ts';
import { cureFor, type UpdateWays } from '../vendors/index.ts';
import { type ImageBody, imageBody, type OpenedImage } from './image.ts';
import type { InstallPlan } from './install-plan.ts';
import { makeBoundary, multipartBody } from './multipart.ts';
import { type PullOrder, pullBody } from './pull-body.ts';
import { claimPush } from './push-claim.ts';
import type { SendHooks } from './send-hooks.ts';

/** A BMC may check the whole image before it answers. */
const answerDeadlineMs = 300_000;
const storedDeadlineMs = 600_000;
/**
 * What is not whole when its sender dies is thrown away by the BMC, and what is whole is looked for by who comes next, for
 * as long as the BMC may take to answer: see `SendHooks.onWhole`.
 */
const sendFenceMs = 10_000;

/** How long a BMC may be at an image before it shows what it makes of it. */
export const sentUnseenMs = answerDeadlineMs;

/** Everything that a send needs. */
export interface Sending extends SendHooks {
  readonly bmc: Bmc;
  readonly order: InstallOrder;
  readonly offer: UpdateOffer;
  readonly ways: UpdateWays;
  readonly targets: readonly string[];
  readonly signal?: AbortSignal;
}

/** What came of a send. */
export interface Sent {
  readonly reply: GateReply;
  readonly warnings: readonly string[];
}

type PushPlan = Extract<InstallPlan, { via: 'multipart' | 'push' }>;
type PullPlan = Extract<InstallPlan, { via: 'pull' }>;

/** Sends the image with its parameters in one request. */
export async function sendMultipart(sending: Sending, plan: PushPlan, image: OpenedImage): Promise<Sent> {
  const { bmc, order, ways, targets } = sending;
  const oem: JsonObject = { ...(await ways.oemFor(bmc, order)), ...order.oem };
  const parameters = {
    Targets: [...targets],
    '@Redfish.OperationApplyTime': plan.applyTime,
    ForceUpdate: order.isForced === true ? true : undefined,
    Oem: oem,
  };
  const boundary = makeBoundary(bmc.random);
  const body = multipartBody(image, { parameters, boundary, onWhole: sending.onWhole });
  return { reply: await sendOnce(sending, { path: plan.uri, body }), warnings: [] };
}

/** Sends the bare image; what else the BMC must know is set before, and a claim is given back whatever happens. */
export async function sendPush(sending: Sending, plan: PushPlan, image: OpenedImage): Promise<Sent> {
  const { bmc, order, offer, targets } = sending;
  const wish = { targets, applyTime: plan.applyTime, isForced: order.isForced === true };
  const claim = await claimPush(bmc, offer, wish);
  let reply: GateReply;
  try {
    const body = imageBody(image, { contentType: 'application/octet-stream', onWhole: sending.onWhole });
    reply = await sendOnce(sending, { path: plan.uri, body });
  } catch (error) {
    // Without the lease the claim may be another's by now.
    if (!isBmcError(error, 'leaseLost')) await claim.release();
    throw error;
  }
  const warning = await claim.release();
  return { reply: await installUploaded(sending, plan, reply), warnings: warning === undefined ? [] : [warning] };
}

/** The iDRAC only stores what is pushed, and says where: SimpleUpdate installs it from there. */
async function installUploaded(sending: Sending, plan: PushPlan, reply: GateReply): Promise<GateReply> {
  const { offer } = sending;
  const stored = toBmcPath(reply.headers.location, sending.bmc.gate.origin);
  const isStored =
    stored !== undefined && offer.firmwareInventory !== undefined && isChild(stored, offer.firmwareInventory);
  if (!isStored || findTask(reply).taskUri !== undefined || offer.pull === undefined) return reply;
  const body = { ImageURI: stored, '@Redfish.OperationApplyTime': plan.applyTime };
  return sendWhenFree(sending, { path: offer.pull.target, body });
}

/** While it looks at what was stored the iDRAC says that it is busy and does nothing: it may be asked again. */
async function sendWhenFree(
  sending: Sending,
  post: { readonly path: string; readonly body: JsonObject },
): Promise<GateReply> {
  const { clock, random } = sending.bmc;
  const end = clock.monotonic() + storedDeadlineMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendOnce(sending, post);
    } catch (error) {
      if (!isBmcError(error, 'busy') || clock.monotonic() >= end || sending.signal?.aborted === true) throw error;
    }
    await sleep(clock, backoffDelay({ baseMs: 5000, maxMs: 30_000 }, tries, random), sending.signal);
  }
}

function isChild(path: string, parent: string): boolean {
  return isSamePath(path.slice(0, path.lastIndexOf('/')), parent);
}

/** Tells the BMC where to fetch the image. */
export async function sendPull(sending: Sending, plan: PullPlan): Promise<Sent> {
  const { bmc, order, offer, targets } = sending;
  const { origin } = bmc.gate;
  if (offer.pull === undefined) throw new BmcError('unsupported', { origin, what: 'pull', detail: 'no SimpleUpdate' });
  await wantTargets(sending);
  const pull: PullOrder = {
    origin,
    offer: offer.pull,
    served: plan.served,
    targets,
    areTargetsOrdered: order.targets.length > 0,
    applyTime: plan.applyTime,
    isForced: order.isForced === true,
    isProtocolWanted: false,
  };
  try {
    return { reply: await sendOnce(sending, { path: plan.uri, body: pullBody(pull) }), warnings: [] };
  } catch (error) {
    // Refused for want of a member that it did not advertise: nothing was begun, so it may be said again with it.
    if (!isProtocolMissing(error)) throw error;
    const body = pullBody({ ...pull, isProtocolWanted: true });
    return { reply: await sendOnce(sending, { path: plan.uri, body }), warnings: [] };
  }
}

function isProtocolMissing(error: unknown): boolean {
  if (!isBmcError(error, 'refused')) return false;
  const isMissing = error.messageIds.some((id) => /missing|required/i.test(id));
  return isMissing && /TransferProtocol/i.test(error.message);
}

/** A BMC of several systems would write to all of them, or to the wrong one. */
async function wantTargets({ bmc, targets }: Sending): Promise<void> {
  if (targets.length > 0) return;
  const systems = await listPaths(bmc, (await bmc.root()).systems);
  if (systems.length <= 1) return;
  throw new BmcError('blocked', {
    origin: bmc.gate.origin,
    what: 'pull an image without targets',
    detail: `it has ${systems.length} systems: name the targets of the update`,
  });
}

/**
 * Posts something that begins an update: with the lease checked immediately before, and never twice. An answer that was
 * lost or cannot be read leaves open whether it began, and is `ambiguous`.
 */
export async function sendOnce(
  sending: Pick<Sending, 'bmc' | 'ways' | 'signal' | 'onWhole'>,
  post: { readonly path: string; readonly body: JsonObject | ImageBody },
): Promise<GateReply> {
  const { bmc, signal } = sending;
  const request: GateRequest = {
    method: 'POST',
    path: post.path,
    body: post.body,
    isDisruptive: true,
    deadlineMs: answerDeadlineMs,
    fenceMs: sendFenceMs,
    ...(signal === undefined ? {} : { signal }),
  };
  if (!isImageBody(post.body)) await sending.onWhole?.();
  try {
    return await bmc.gate.request(request);
  } catch (error) {
    throw toSendError(sending, error, post);
  }
}

function toSendError(
  { bmc, ways }: Pick<Sending, 'bmc' | 'ways'>,
  error: unknown,
  post: { readonly path: string; readonly body: JsonObject | ImageBody },
): unknown {
  const { origin } = bmc.gate;
  const fault = isImageBody(post.body) ? post.body.fault : undefined;
  if (fault !== undefined) return fault;
  if (!isBmcError(error)) return error;
  const fields = { origin, method: 'POST', path: post.path };
  if (error.code === 'malformed' || error.code === 'timeout') {
    return new BmcError('ambiguous', { ...fields, detail: error.message }, { cause: error });
  }
  const advice = error.code === 'refused' || error.code === 'busy' ? ways.adviceFor(error) : undefined;
  if (advice === undefined) return error;
  const more = {
    messageIds: error.messageIds,
    cause: error,
    ...(error.status === undefined ? {} : { status: error.status }),
  };
  const detail = `${advice}; ${error.message}`;
  const cure = cureFor(error.messageIds);
  if (cure !== undefined && cure !== 'retry-later') {
    return new BmcError('blocked', { origin, what: 'take the update', detail }, more);
  }
  return new BmcError(error.code, { ...fields, status: error.status ?? 0, detail }, more);
}

function isImageBody(body: JsonObject | ImageBody): body is ImageBody {
  return typeof (body as Partial<ImageBody>).open === 'function';
}
