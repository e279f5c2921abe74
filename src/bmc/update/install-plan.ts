import { BmcError } from '../errors.ts';
import type { ImageFile, InstallOrder, StartedUpdate } from '../firmware-update.ts';
import { memberIn, objectIn, textIn } from '../redfish/index.ts';
import type { UpdateOffer } from '../update-offer.ts';
import type { UpdateWays } from '../vendors/index.ts';

/** A way for firmware to reach a BMC. */
export type Via = StartedUpdate['via'];

/** Where an image can be fetched from. */
export type ServedImage = NonNullable<InstallOrder['served']>;

/** How an order will be carried out. */
export type InstallPlan = { readonly applyTime: string | undefined } & (
  | { readonly via: 'multipart' | 'push'; readonly uri: string; readonly file: ImageFile }
  | { readonly via: 'pull'; readonly uri: string; readonly served: ServedImage }
);

/** What a plan is made from. */
export interface PlanInput {
  readonly origin: string;
  readonly order: InstallOrder;
  readonly offer: UpdateOffer;
  readonly ways: UpdateWays;
}

/** Chooses way and applying time. Throws BmcError `unsupported` that says what the BMC offers instead. */
export function planInstall(input: PlanInput): InstallPlan {
  const { origin, order, offer } = input;
  if (!offer.isEnabled) {
    throw unsupported(origin, 'its UpdateService is switched off: set ServiceEnabled to true');
  }
  const via = order.via ?? bestWay(input);
  const applyTime = planApplyTime(input, via);
  if (order.isForced === true && !canForce(offer, via)) {
    throw unsupported(origin, `it knows no forced update by ${via}: leave the force away`);
  }
  if (order.oem !== undefined && via !== 'multipart') {
    throw unsupported(origin, `vendor options can be sent with a multipart push only, and not with a ${via}`);
  }
  if (via === 'pull') return { via, applyTime, uri: pullTarget(input), served: servedImage(input) };
  return { via, applyTime, uri: pushTarget(input, via), file: localFile(input, via) };
}

function bestWay({ origin, order, offer, ways }: PlanInput): Via {
  const isLocal = 'path' in order.image;
  if (isLocal && offer.multipart !== undefined) return 'multipart';
  const noPush = ways.whyNoPush(offer);
  if (isLocal && offer.push !== undefined && noPush === undefined) return 'push';
  if (offer.pull !== undefined && (!isLocal || order.served !== undefined)) return 'pull';
  const offered = waysIn(offer);
  if (offered.length === 0) throw unsupported(origin, 'its UpdateService offers neither a push nor SimpleUpdate');
  const hint = isLocal
    ? (noPush ?? 'serve the image from a URL that the BMC can reach')
    : 'download the image and give its path';
  throw unsupported(origin, `it offers only ${offered.join(' and ')}: ${hint}`);
}

/** The ways that a BMC offers, best first. */
export function waysIn(offer: UpdateOffer): readonly Via[] {
  return (['multipart', 'push', 'pull'] as const).filter((via) => offer[via] !== undefined);
}

function pushTarget({ origin, offer, ways }: PlanInput, via: 'multipart' | 'push'): string {
  const offered = offer[via];
  if (offered === undefined) throw notOffered(origin, via, offer);
  const noPush = via === 'push' ? ways.whyNoPush(offer) : undefined;
  if (noPush !== undefined) throw unsupported(origin, noPush);
  return offered.uri;
}

function pullTarget({ origin, offer }: PlanInput): string {
  if (offer.pull === undefined) throw notOffered(origin, 'pull', offer);
  return offer.pull.target;
}

function localFile({ origin, order }: PlanInput, via: Via): ImageFile {
  if ('path' in order.image) return order.image;
  throw unsupported(origin, `a ${via} needs the image as a file on this machine: download it and give its path`);
}

function servedImage({ origin, order }: PlanInput): ServedImage {
  const served = 'uri' in order.image ? order.image : order.served;
  if (served !== undefined) return served;
  throw unsupported(origin, 'a pull needs a URL that the BMC can reach: serve the image from one');
}

function planApplyTime({ origin, order, offer, ways }: PlanInput, via: Via): string | undefined {
  const offered = (offer[via]?.applyTimes ?? []).filter(
    (time) => time !== 'OnStartUpdateRequest' || offer.startUpdate !== undefined,
  );
  const wanted = order.applyTime;
  if (wanted === undefined) return ways.chooseApplyTime(order.component, offered);
  if (offered.includes(wanted)) return wanted;
  // A BMC that names no times does it at once; that needs no saying.
  if (offered.length === 0 && wanted === 'Immediate') return undefined;
  const choice = offered.length === 0 ? 'it names no applying times' : `it offers ${offered.join(', ')}`;
  throw unsupported(origin, `${wanted} is not among the applying times of a ${via}: ${choice}`);
}

/** Forcing can be said in the parameters of a multipart push since version 1.11 of the schema, else only as advertised. */
function canForce(offer: UpdateOffer, via: Via): boolean {
  if (via === 'pull') return offer.pull?.members?.includes('ForceUpdate') ?? false;
  if (memberIn(objectIn(offer.body, 'HttpPushUriOptions'), 'ForceUpdate') !== undefined) return true;
  const [, minor = '0'] = /\.v1_(\d{1,3})_/.exec(textIn(offer.body, '@odata.type') ?? '') ?? [];
  return via === 'multipart' && Number(minor) >= 11;
}

function notOffered(origin: string, via: Via, offer: UpdateOffer): BmcError {
  const offered = waysIn(offer);
  return unsupported(
    origin,
    `it offers no ${via}, ${offered.length === 0 ? 'nor any other way' : offered.join(' and ')}`,
  );
}

function unsupported(origin: string, detail: string): BmcError {
  return new BmcError('unsupported', { origin, what: 'take this update', detail });
}
