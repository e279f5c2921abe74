import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import { managerOf } from '../inventory/index.ts';
import type { JsonObject } from '../json.ts';
import { poll } from '../power/index.ts';
import {
  type Action,
  actionIn,
  booleanIn,
  lastSegment,
  linkIn,
  type Member,
  messageKey,
  readCollection,
  systemOf,
  textIn,
  textsIn,
} from '../redfish/index.ts';

/** A virtual drive. */
export interface VirtualDrive {
  readonly id: string;
  readonly path: string;
  readonly mediaTypes: readonly string[];
  readonly isInserted: boolean;
  readonly image: string | undefined;
}

/** An image to put into a virtual drive. */
export interface MediumOrder {
  /** Where the BMC fetches it from. */
  readonly image: string;
  /** `cd` unless given. */
  readonly kind?: 'cd' | 'usb';
  readonly isWritable?: boolean;
  readonly username?: string;
  readonly password?: string;
  /** The drive; the first that fits unless given. */
  readonly drive?: string;
  /** How long the BMC may take; 60 s unless given. */
  readonly verifyMs?: number;
}

/** What was done about a medium. */
export interface MediumChange {
  readonly drive: VirtualDrive;
  /** False when it was so already. */
  readonly wasSent: boolean;
  readonly isVerified: boolean;
  /**
   * Why the host may not see what the drive shows: the BMC answered with an error, or its answer was lost. sushy-tools
   * shows a medium that it failed to hand to its host.
   */
  readonly doubt?: string;
}

/** The virtual drives of a machine: of its manager, or of the system itself on newer BMCs. */
export async function listVirtualDrives(bmc: Bmc): Promise<readonly VirtualDrive[]> {
  return (await drives(bmc)).map(toDrive);
}

async function drives(bmc: Bmc): Promise<readonly Member[]> {
  const system = await systemOf(bmc);
  const places = [linkIn(system.body, 'VirtualMedia')];
  if (places[0] === undefined) places.push(linkIn((await managerOf(bmc, system))?.body ?? {}, 'VirtualMedia'));
  for (const place of places) {
    const members = place === undefined ? [] : (await readCollection(bmc, place)).members;
    if (members.length > 0) return members;
  }
  const detail = 'neither the system nor its manager has virtual media';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'insert media', detail });
}

function toDrive({ path, body }: Member): VirtualDrive {
  const image = textIn(body, 'Image');
  return {
    id: textIn(body, 'Id') ?? lastSegment(path),
    path,
    mediaTypes: textsIn(body, 'MediaTypes'),
    // Some leave the flag out, some the image.
    isInserted: booleanIn(body, 'Inserted') ?? image !== undefined,
    image,
  };
}

/** The drive that an image would be put into. */
export async function findVirtualDrive(bmc: Bmc, order: MediumOrder): Promise<VirtualDrive> {
  return toDrive(choose(bmc, await drives(bmc), order));
}

/** Puts an image into a virtual drive. One that is in already is left; another is taken out first. */
export async function insertMedium(bmc: Bmc, order: MediumOrder): Promise<MediumChange> {
  const member = choose(bmc, await drives(bmc), order);
  const drive = toDrive(member);
  if (drive.isInserted && drive.image === order.image) return { drive, wasSent: false, isVerified: true };
  if (drive.isInserted) await ejectForAnother(bmc, member, order);
  const lost = await unlessLost(insert(bmc, member, order));
  const isThere = (now: VirtualDrive) =>
    now.isInserted && (now.image === undefined || sameImage(now.image, order.image));
  return verified(bmc, member, { isThere, lost, withinMs: order.verifyMs ?? 60_000 });
}

/** Where the answer is lost the drive must be seen empty before anything is put into it. */
async function ejectForAnother(bmc: Bmc, member: Member, order: MediumOrder): Promise<void> {
  const lost = await unlessLost(eject(bmc, member));
  if (lost === undefined) return;
  await verified(bmc, member, { isThere: (now) => !now.isInserted, lost, withinMs: order.verifyMs ?? 60_000 });
}

/** The error of an answer that was lost, so that the drive itself is asked; undefined when it came. */
async function unlessLost(sent: Promise<void>): Promise<BmcError | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (isBmcError(error, 'ambiguous')) return error;
    throw error;
  }
}

/** Takes images out: of the named drive, or of all. Returns the drives that had one. */
export async function ejectMedia(
  bmc: Bmc,
  order: { readonly drive?: string; readonly verifyMs?: number } = {},
): Promise<readonly MediumChange[]> {
  const wanted = (await drives(bmc)).filter((each) => order.drive === undefined || toDrive(each).id === order.drive);
  const changes: MediumChange[] = [];
  for (const member of wanted.filter((each) => toDrive(each).isInserted)) {
    const lost = await unlessLost(eject(bmc, member));
    const isThere = (now: VirtualDrive) => !now.isInserted;
    changes.push(await verified(bmc, member, { isThere, lost, withinMs: order.verifyMs ?? 60_000 }));
  }
  return changes;
}

/** Credentials and the host's spelling may be rewritten by the BMC. */
function sameImage(one: string, other: string): boolean {
  const fileOf = (text: string) => text.slice(text.lastIndexOf('/') + 1);
  return one === other || fileOf(one) === fileOf(other);
}

/** The named drive; else one that has the image, else an empty one of the kind, else any of the kind. */
function choose(bmc: Bmc, members: readonly Member[], order: MediumOrder): Member {
  const kinds = order.kind === 'usb' ? ['USBStick', 'Floppy'] : ['CD', 'DVD'];
  const fits = (member: Member) => {
    const drive = toDrive(member);
    if (order.drive !== undefined) return drive.id === order.drive;
    if (drive.mediaTypes.length === 0) return order.kind !== 'usb' && /cd|dvd|iso|\d$/i.test(drive.id);
    return drive.mediaTypes.some((type) => kinds.includes(type));
  };
  const fitting = members.filter(fits);
  const found =
    fitting.find((member) => toDrive(member).image === order.image) ??
    fitting.find((member) => !toDrive(member).isInserted) ??
    fitting[0];
  if (found !== undefined) return found;
  const there = members.map((member) => `${toDrive(member).id} (${toDrive(member).mediaTypes.join(', ')})`).join('; ');
  const what = `insert a ${order.drive ?? order.kind ?? 'cd'}`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what, detail: `its virtual drives are ${there}` });
}

async function insert(bmc: Bmc, { path, body }: Member, order: MediumOrder): Promise<void> {
  const action = actionIn(body, 'VirtualMedia.InsertMedia');
  if (action === undefined) {
    await patchWithEtag(bmc.gate, path, { ...least(order), Inserted: true }, { isDisruptive: true });
    return;
  }
  try {
    await post(bmc, action, least(order));
  } catch (error) {
    if (!isBmcError(error, 'refused') || !error.messageIds.some(isMissingMember)) throw error;
    // Optional by the standard, but this one insists.
    await post(bmc, action, { ...least(order), ...everything(order) });
  }
}

function isMissingMember(id: string): boolean {
  return /^(?:ActionParameterMissing|PropertyMissing|CreateFailedMissingReqProperties)$/.test(messageKey(id));
}

/** Members that are not needed are refused by some BMCs, so only what must be said is said. */
function least(order: MediumOrder): JsonObject {
  return {
    Image: order.image,
    ...(order.isWritable === true ? { WriteProtected: false } : {}),
    ...(order.username === undefined ? {} : { UserName: order.username }),
    ...(order.password === undefined ? {} : { Password: order.password }),
  };
}

function everything(order: MediumOrder): JsonObject {
  const scheme = URL.canParse(order.image) ? new URL(order.image).protocol.replace(':', '').toUpperCase() : 'HTTP';
  return {
    Inserted: true,
    WriteProtected: order.isWritable !== true,
    TransferMethod: 'Stream',
    TransferProtocolType: scheme,
  };
}

async function eject(bmc: Bmc, { path, body }: Member): Promise<void> {
  const action = actionIn(body, 'VirtualMedia.EjectMedia');
  if (action === undefined) {
    await patchWithEtag(bmc.gate, path, { Image: null, Inserted: false }, { isDisruptive: true });
  } else await post(bmc, action, {});
}

async function post(bmc: Bmc, action: Action, body: JsonObject): Promise<void> {
  await bmc.gate.request({ method: 'POST', path: action.target, body, isDisruptive: true });
}

async function verified(
  bmc: Bmc,
  member: Member,
  check: {
    readonly isThere: (drive: VirtualDrive) => boolean;
    /** The answer was lost: what is not seen is told as that. */
    readonly lost: BmcError | undefined;
    readonly withinMs: number;
  },
): Promise<MediumChange> {
  let drive = toDrive(member);
  try {
    await poll(bmc, {
      what: `the change of virtual drive ${drive.id}`,
      deadlineMs: check.withinMs,
      look: async () => {
        const { body } = await bmc.gate.request({ method: 'GET', path: member.path });
        drive = toDrive({ path: member.path, body });
        return check.isThere(drive) ? drive : undefined;
      },
    });
    const doubt = check.lost === undefined ? {} : { doubt: check.lost.message };
    return { drive, wasSent: true, isVerified: true, ...doubt };
  } catch (error) {
    if (!isBmcError(error, 'deadline')) throw error;
    if (check.lost !== undefined) throw check.lost;
    return { drive, wasSent: true, isVerified: false };
  }
}
