import { backoffDelay, sleep } from '../../kube/index.ts';
import type { Bmc, FirmwareSlot, VendorName } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { isSameVersion, readFirmware } from '../inventory/index.ts';
import { isPassing } from '../outage.ts';

/** Which slots are meant: by name, or by a choice among all of them. Every one of them must have the version. */
export type SlotChoice = { readonly slots: readonly string[] } | { readonly match: (slot: FirmwareSlot) => boolean };

/** What must be installed where. */
export type VerifyOrder = SlotChoice & VerifyOptions & { readonly version: string };

/** How long and how often it is looked at. */
export interface VerifyOptions {
  /** So many good reads in a row; 3 unless given. BMCs that just restarted answer from stale caches at times. */
  readonly consecutiveReads?: number;
  readonly deadlineMs: number;
  /** Time between two reads; 5 s first and 30 s at most unless given. */
  readonly pollMs?: { readonly first: number; readonly most: number };
  /** End as soon as the version is found staged: nobody will reset meanwhile. */
  readonly isStagedEnough?: boolean;
  /** The BMC may be away for a while, or refuse good credentials: it was just updated or reset. */
  readonly isOutageExpected?: boolean;
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
 * the answer then. Throws BmcErrors that waiting does not cure (credentials, lost lease).
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
  const backoff = { baseMs: order.pollMs?.first ?? 5000, maxMs: order.pollMs?.most ?? 30_000 };
  const counts = { installed: 0, staged: 0 };
  for (let reads = 1; ; reads += 1) {
    if (order.signal?.aborted === true) throw new BmcError('cancelled', { origin: bmc.gate.origin });
    const seen = await look(bmc, order);
    counts.installed = seen.kind === 'installed' ? counts.installed + 1 : 0;
    counts.staged = seen.kind === 'staged' ? counts.staged + 1 : 0;
    if (counts.installed >= wanted) return seen;
    if (order.isStagedEnough === true && counts.staged >= wanted) return seen;
    const left = end - clock.monotonic();
    // A good read that was not confirmed often enough is not the wanted state yet.
    if (left < 1) return seen.kind === 'installed' ? unconfirmed(seen.slots, counts.installed, wanted) : seen;
    const failures = seen.kind === 'installed' ? 1 : reads;
    await sleep(clock, Math.min(left, backoffDelay(backoff, failures, bmc.random)), order.signal);
  }
}

function unconfirmed(slots: readonly FirmwareSlot[], seen: number, wanted: number): Verification {
  const names = slots.map(({ slot }) => slot).join(', ');
  return {
    kind: 'unreadable',
    message: `${names} showed the wanted version in ${seen} reads in a row, of ${wanted}, before the time was over`,
  };
}

async function look(bmc: Bmc, order: VerifyOrder): Promise<Verification> {
  try {
    const { vendor } = await bmc.root();
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

/** What one read of the inventory says. */
export function judge(
  slots: readonly FirmwareSlot[],
  order: SlotChoice & { readonly version: string },
  about: { readonly vendor: VendorName; readonly gaps: readonly { readonly path: string; readonly reason: string }[] },
): Verification {
  const chosen = choose(slots, order);
  const missing = missingNames(chosen, order);
  if (chosen.length === 0 || missing.length > 0) {
    const gaps = about.gaps.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    const names = missing.length > 0 ? `no ${missing.join(', ')}` : 'nothing that was asked for';
    return { kind: 'unreadable', message: `the firmware inventory has ${names}${gaps === '' ? '' : ` (${gaps})`}` };
  }
  const isWanted = (version: string | undefined) =>
    version !== undefined && isSameVersion(about.vendor, version, order.version);
  const others = chosen.filter(({ version }) => !isWanted(version));
  if (others.length === 0) return { kind: 'installed', slots: chosen };
  const told = others.map(({ slot, version }) => `${slot} has ${version === '' ? 'no version' : version}`).join(', ');
  if (others.every(({ pendingVersion }) => isWanted(pendingVersion))) {
    return { kind: 'staged', slots: others, message: `${order.version} is staged and needs a reset: ${told}` };
  }
  return { kind: 'other-version', slots: others, message: `${told} and not ${order.version}` };
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
