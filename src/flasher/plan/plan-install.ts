import { type ComponentType, type FirmwareSlot, isSameVersion } from '../../bmc/index.ts';
import { firmwareComponents, isPartOfServer } from '../../parts/index.ts';
import { compareVersions } from '../../versions/index.ts';
import type { Firmware } from './firmware.ts';
import { matchSlots, type PlannedServer, type SkipCode, told } from './match-slots.ts';

/** What a plan is made from. */
export interface PlanInput {
  readonly inventory: PlannedServer & {
    /** What could not be read: nothing is called absent while the list of firmware has a gap. */
    readonly gaps: readonly { readonly path: string; readonly reason: string }[];
  };
  readonly firmwares: readonly Firmware[];
  readonly parameters: {
    readonly isForced: boolean;
    /** False leaves out what is older than what is installed; true unless given. */
    readonly mayGoBack?: boolean;
  };
}

/** One image to be installed, and where. */
export interface PlannedAction {
  readonly firmware: Firmware;
  /** All slots that the image is for: every one of them has the version in the end. */
  readonly slots: readonly PlannedSlot[];
}

/** A slot as it was when the plan was made. */
export interface PlannedSlot {
  readonly slot: string;
  readonly component: ComponentType;
  readonly uri: string;
  /** What was installed. */
  readonly version: string;
  /** It has the version already, and is written only because it is forced. */
  readonly isCurrent: boolean;
  /** What is installed is newer, as far as the vendor's way to write versions tells. */
  readonly isGoingBack: boolean;
}

/** An image that is not installed. */
export interface SkippedFirmware {
  readonly firmware: Firmware;
  readonly why: SkipCode;
  readonly message: string;
}

/** What is wrong with an order. `again`: the server has to be read again; otherwise the order itself is wrong. */
export interface PlanProblem {
  readonly code: 'ambiguous' | 'contradiction' | 'unreadable';
  readonly message: string;
  readonly isTransient: boolean;
}

/** What will be done, what not, and what stands against it. Nothing may be done while there are problems. */
export interface InstallPlan {
  readonly actions: readonly PlannedAction[];
  readonly skipped: readonly SkippedFirmware[];
  readonly problems: readonly PlanProblem[];
}

/**
 * Chooses what to install: what fits the server and is not there yet, in the order in which it must be done. One action
 * for each image with all its slots. The same input gives the same plan, whatever the order of its firmwares.
 */
export function planInstall({ inventory, firmwares, parameters }: PlanInput): InstallPlan {
  const claims: Claim[] = [];
  const actions: PlannedAction[] = [];
  const skipped: SkippedFirmware[] = [];
  const problems: PlanProblem[] = [];
  for (const firmware of [...firmwares].sort(byInstallOrder)) {
    const matched = match(inventory, firmware, parameters);
    const judged = 'slots' in matched ? (rivalry(claims, matched) ?? choose(inventory, matched, parameters)) : matched;
    if ('slots' in matched) claims.push(matched);
    if ('action' in judged) actions.push(judged.action);
    else if ('skipped' in judged) skipped.push(judged.skipped);
    else problems.push(judged.problem);
  }
  return { actions, skipped, problems };
}

/** A firmware and the slots that it is for, whether or not they need it. */
interface Claim {
  readonly firmware: Firmware;
  readonly slots: readonly FirmwareSlot[];
}

/** The same as far as it matters which of two images a slot gets. */
export interface ImageClaim {
  readonly firmware: Firmware;
  readonly slots: readonly Pick<FirmwareSlot, 'slot'>[];
}

type Refusal = { readonly skipped: SkippedFirmware } | { readonly problem: PlanProblem };

type Judged = Refusal | { readonly action: PlannedAction };

function match(
  inventory: PlanInput['inventory'],
  firmware: Firmware,
  parameters: PlanInput['parameters'],
): Claim | Refusal {
  const skip = (why: SkipCode, message: string): Refusal => ({ skipped: { firmware, why, message } });
  if (firmware.isInband) {
    return skip('inband', `${told(firmware)} can be installed only by a tool on the host, which is not done here`);
  }
  const found = matchSlots(inventory, firmware);
  if (found.kind === 'slots') return { firmware, slots: found.slots };
  if (found.kind === 'ambiguous') {
    return { problem: { code: 'ambiguous', message: found.message, isTransient: false } };
  }
  const gap = inventory.gaps.find(({ path }) => /FirmwareInventory/i.test(path));
  const isUnsure = gap !== undefined || inventory.slots.length === 0;
  // What was not read is not absent; who forces has seen that it is.
  if (!isUnsure || found.why === 'not-updateable' || parameters.isForced) return skip(found.why, found.message);
  const detail = gap === undefined ? 'the firmware inventory is empty' : `${gap.path}: ${gap.reason}`;
  return { problem: { code: 'unreadable', message: `${found.message}, but ${detail}`, isTransient: true } };
}

/**
 * One slot gets one image: the same one twice is left out, so is one that does not say which hardware it is for where
 * another does, and anything else is a contradiction, installed or not.
 */
function rivalry(claims: readonly Claim[], { firmware, slots }: Claim): Refusal | undefined {
  const names = new Set(slots.map(({ slot }) => slot));
  const rival = claims.find((claim) => claim.slots.some(({ slot }) => names.has(slot)));
  if (rival === undefined) return undefined;
  if (rival.firmware.version === firmware.version && isSameChecksum(rival.firmware, firmware)) {
    const message = `${told(firmware)} is asked for twice (${rival.firmware.id} and ${firmware.id})`;
    return { skipped: { firmware, why: 'duplicate', message } };
  }
  if (isMoreCertain(rival, { firmware, slots })) {
    const message = `${rival.firmware.id} brings ${told(firmware)} too and names the hardware that it is for, which ${firmware.id} does not`;
    return { skipped: { firmware, why: 'duplicate', message } };
  }
  const shared = rival.slots.filter(({ slot }) => names.has(slot)).map(({ slot }) => slot);
  const message = `${shared.join(', ')} cannot get both ${told(rival.firmware)} (${rival.firmware.id}) and ${told(firmware)} (${firmware.id})`;
  return { problem: { code: 'contradiction', message, isTransient: false } };
}

/** True for two images of which neither gives way to the other where both are for one slot: an install refuses them. */
export function areContradictory(one: ImageClaim, other: ImageClaim): boolean {
  if (one.firmware.version === other.firmware.version && isSameChecksum(one.firmware, other.firmware)) return false;
  return !isMoreCertain(one, other) && !isMoreCertain(other, one);
}

/** Images of one version of which only the first says by ids what it is for, and which has all the slots of the other. */
function isMoreCertain(rival: ImageClaim, { firmware, slots }: ImageClaim): boolean {
  const taken = new Set(rival.slots.map(({ slot }) => slot));
  return (
    rival.firmware.component === firmware.component &&
    rival.firmware.version === firmware.version &&
    hasIds(rival.firmware) &&
    !hasIds(firmware) &&
    slots.every(({ slot }) => taken.has(slot))
  );
}

function hasIds({ softwareIds = [] }: Pick<Firmware, 'softwareIds'>): boolean {
  return softwareIds.length > 0;
}

function choose(inventory: PlannedServer, { firmware, slots }: Claim, parameters: PlanInput['parameters']): Judged {
  const planned = slots.map((slot) => planSlot(inventory, firmware, slot));
  const skip = (why: SkipCode, message: string): Refusal => ({ skipped: { firmware, why, message } });
  const back = planned.filter(({ isGoingBack }) => isGoingBack);
  if (parameters.mayGoBack === false && back.length > 0) {
    return skip('older', `${goingBack(firmware, back)}, and going back was not allowed`);
  }
  if (parameters.isForced) return { action: { firmware, slots: planned } };
  if (planned.every(({ isCurrent }) => isCurrent)) {
    return skip('current', `${told(firmware)} is installed already (${namesOf(planned)})`);
  }
  const silent = firmware.version === '' ? [] : planned.filter(({ version }) => version.trim() === '');
  if (silent.length > 0) {
    const doubt = `it cannot be told whether ${told(firmware)} is needed: use force_install`;
    return skip('no-version', `${namesOf(silent)} shows no installed version, so ${doubt}`);
  }
  return { action: { firmware, slots: planned } };
}

function planSlot(inventory: PlannedServer, firmware: Firmware, slot: FirmwareSlot): PlannedSlot {
  const { version } = firmware;
  // Versions of the server's own parts are written as its maker does, those of others as theirs do.
  const vendor = isPartOfServer(firmware.component) ? inventory.vendor : firmware.vendor;
  const isKnown = version !== '';
  const order = isKnown
    ? compareVersions({ vendor, component: firmware.component, version, than: slot.version })
    : undefined;
  return {
    slot: slot.slot,
    component: slot.component,
    uri: slot.uri,
    version: slot.version,
    isCurrent: isKnown && isSameVersion(inventory.vendor, slot.version, version),
    isGoingBack: order === 'older',
  };
}

function namesOf(slots: readonly { readonly slot: string }[]): string {
  return slots.map(({ slot }) => slot).join(', ');
}

/** What people have to be told of an image that is older than what is installed. */
export function goingBack(firmware: Firmware, back: readonly PlannedSlot[]): string {
  const installed = [...new Set(back.map(({ version }) => version))].join(', ');
  return `${told(firmware)} is older than what ${namesOf(back)} has (${installed})`;
}

function isSameChecksum(one: Firmware, other: Firmware): boolean {
  const [a, b] = [one.checksum, other.checksum].map((text) => text.trim().toLowerCase().replace(/^\w+:/, ''));
  return a === b || a === '' || b === '';
}

/** What the place of an image in an install depends on. */
export type OrderedImage = Pick<Firmware, 'id' | 'component' | 'version' | 'softwareIds'>;

/** Compares two images by when they are installed: the BMC first, since the rest goes through it; then as parts depend on each other. */
export function byInstallOrder(one: OrderedImage, other: OrderedImage): number {
  return (
    rankOf(one) - rankOf(other) ||
    compare(one.version, other.version) ||
    // Those that say which hardware they are for have the first choice.
    Number(hasIds(other)) - Number(hasIds(one)) ||
    compare(one.id, other.id)
  );
}

function rankOf({ component }: OrderedImage): number {
  return firmwareComponents.indexOf(component);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
