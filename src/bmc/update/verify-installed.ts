import { backoffDelay, sleep } from '../../kube/index.ts';
import type { Bmc, FirmwareSlot, VendorName } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { isSameVersion, readFirmware } from '../inventory/index.ts';
import { isPassing } from '../outage.ts';
import { textIn } from '../redfish/index.ts';

/** Of more slots than these the list is not longer by much. */
const mostAlone = 4;

/** Which slots are meant: by name, or by a choice among all of them. Every one of them must have the version. */
export type SlotChoice = { readonly slots: readonly string[] } | { readonly match: (slot: FirmwareSlot) => boolean };

/** Which version counts as installed. */
export interface WantedVersion {
  readonly version: string;
  /** Of an image of unknown version: whether the version of a slot is another than before. */
  readonly isNew?: ((slot: string, version: string) => boolean) | undefined;
}

/** What must be installed where. */
export type VerifyOrder = SlotChoice & VerifyOptions & WantedVersion;

/** How long and how often it is looked at. */
export interface VerifyOptions {
  /** So many good reads in a row; 3 unless given. BMCs that just restarted answer from stale caches at times. */
  readonly consecutiveReads?: number;
  readonly deadlineMs: number;
  /** Time between two reads; 5 s first and 30 s at most unless given, and twice as long after each bad one. */
  readonly pollMs?: { readonly first: number; readonly most: number; readonly factor?: number };
  /** End as soon as the version is found staged: nobody will reset meanwhile. */
  readonly isStagedEnough?: boolean;
  /** The BMC may be away for a while, or refuse good credentials: it was just updated or reset. */
  readonly isOutageExpected?: boolean;
  /**
   * The slots as they were read before: a BMC that gives its list one by one is asked for these alone at first. A good read
   * is confirmed by asking for its slots alone wherever they can be asked.
   */
  readonly known?: readonly FirmwareSlot[];
  readonly signal?: AbortSignal;
}

/** What was found. */
export type Verification =
  | { readonly kind: 'installed'; readonly slots: readonly FirmwareSlot[] }
  /** There, but a reset is needed before it runs. */
  | { readonly kind: 'staged'; readonly slots: readonly FirmwareSlot[]; readonly message: string }
  | { readonly kind: 'other-version'; readonly slots: readonly FirmwareSlot[]; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Reads the inventory until it shows the version so many times in a row, or the deadline is over; what it showed last is
 * the answer then. A good read is always confirmed. Throws BmcErrors that waiting does not cure (credentials, lost lease).
 */
export async function verifyInstalled(bmc: Bmc, order: VerifyOrder): Promise<Verification> {
  const endOutage = order.isOutageExpected === true ? bmc.gate.expectOutage() : () => {};
  try {
    return await verify(bmc, order);
  } finally {
    endOutage();
  }
}

async function verify(bmc: Bmc, order: VerifyOrder): Promise<Verification> {
  const { clock } = bmc;
  const wanted = order.consecutiveReads ?? 3;
  const end = clock.monotonic() + order.deadlineMs;
  const { first = 5000, most = 30_000, factor = 2 } = order.pollMs ?? {};
  const backoff = { baseMs: first, maxMs: most, factor };
  const counts = { installed: 0, staged: 0 };
  let known = order.known;
  for (let reads = 1; ; reads += 1) {
    if (order.signal?.aborted === true) throw new BmcError('cancelled', { origin: bmc.gate.origin });
    const seen = await look(bmc, order, { known, isConfirming: counts.installed > 0 });
    if (seen.kind !== 'unreadable') known = seen.kind === 'installed' ? seen.slots : undefined;
    counts.installed = seen.kind === 'installed' ? counts.installed + 1 : 0;
    counts.staged = seen.kind === 'staged' ? counts.staged + 1 : 0;
    if (counts.installed >= wanted) return seen;
    if (order.isStagedEnough === true && counts.staged >= wanted) return seen;
    const left = end - clock.monotonic();
    if (seen.kind === 'installed') {
      // It is confirmed also when the time is over: a worker that takes over from a lost one may have no time left.
      await sleep(clock, backoffDelay(backoff, 1, bmc.random), order.signal);
      continue;
    }
    if (left < 1) return seen;
    await sleep(clock, Math.min(left, backoffDelay(backoff, reads, bmc.random)), order.signal);
  }
}

interface Before {
  readonly known: readonly FirmwareSlot[] | undefined;
  /** The last read was good. */
  readonly isConfirming: boolean;
}

async function look(bmc: Bmc, order: VerifyOrder, before: Before): Promise<Verification> {
  try {
    const { vendor } = await bmc.root();
    const alone = await lookAtKnown(bmc, order, before);
    if (alone?.kind === 'installed' || (alone !== undefined && before.isConfirming)) return alone;
    const { slots, gaps } = await readFirmware(bmc, order.signal === undefined ? {} : { signal: order.signal });
    return judge(slots, order, { vendor, gaps });
  } catch (error) {
    const mayPass = isPassing(error) || isBmcError(error, 'notFound');
    if (mayPass || (order.isOutageExpected === true && isBmcError(error, 'credentials'))) {
      return { kind: 'unreadable', message: error.message };
    }
    throw error;
  }
}

/** Whether all of them have the version; what is staged only the whole list tells. Undefined where they cannot be asked. */
async function lookAtKnown(
  bmc: Bmc,
  order: VerifyOrder,
  { known = [], isConfirming }: Before,
): Promise<Verification | undefined> {
  const { vendor, hasExpand } = await bmc.root();
  if (known.length === 0 || known.length > mostAlone || (hasExpand && !isConfirming)) return undefined;
  const slots: FirmwareSlot[] = [];
  for (const slot of known) {
    const { status, body } = await bmc.gate.request({ method: 'GET', path: slot.uri, accept: [404, 410] });
    const version = status < 400 ? textIn(body, 'Version') : undefined;
    if (version === undefined) return undefined;
    slots.push({ ...slot, version, pendingVersion: undefined });
  }
  return judge(slots, { match: () => true, version: order.version, isNew: order.isNew }, { vendor, gaps: [] });
}

/** What one read of the inventory says. */
export function judge(
  slots: readonly FirmwareSlot[],
  order: SlotChoice & WantedVersion,
  about: { readonly vendor: VendorName; readonly gaps: readonly { readonly path: string; readonly reason: string }[] },
): Verification {
  const chosen = choose(slots, order);
  const missing = missingNames(chosen, order);
  if (chosen.length === 0 || missing.length > 0) {
    const gaps = about.gaps.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    const names = missing.length > 0 ? `no ${missing.join(', ')}` : 'nothing that was asked for';
    return { kind: 'unreadable', message: `the firmware inventory has ${names}${gaps === '' ? '' : ` (${gaps})`}` };
  }
  const isWanted = (slot: string, version: string | undefined) =>
    version !== undefined && (order.isNew?.(slot, version) ?? isSameVersion(about.vendor, version, order.version));
  const others = chosen.filter(({ slot, version }) => !isWanted(slot, version));
  if (others.length === 0) return { kind: 'installed', slots: chosen };
  const told = others.map(({ slot, version }) => `${slot} has ${version === '' ? 'no version' : version}`).join(', ');
  if (others.every(({ slot, pendingVersion }) => isWanted(slot, pendingVersion))) {
    const pending = order.isNew === undefined ? order.version : (others[0]?.pendingVersion ?? '');
    return { kind: 'staged', slots: others, message: `${pending} is staged and needs a reset: ${told}` };
  }
  const expected = order.isNew === undefined ? order.version : 'another version than before';
  return { kind: 'other-version', slots: others, message: `${told} and not ${expected}` };
}

/** Spare banks follow by themselves or not at all: they count only when they are named. */
function choose(slots: readonly FirmwareSlot[], choice: SlotChoice): readonly FirmwareSlot[] {
  if ('match' in choice) return slots.filter((slot) => slot.isBackup !== true && choice.match(slot));
  return slots.filter(({ slot }) => choice.slots.includes(slot));
}

function missingNames(chosen: readonly FirmwareSlot[], choice: SlotChoice): readonly string[] {
  if ('match' in choice) return [];
  return choice.slots.filter((name) => !chosen.some(({ slot }) => slot === name));
}
