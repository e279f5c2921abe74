import { type ComponentType, type FirmwareSlot, isSameVersion } from '../../bmc/index.ts';
import { type Firmware, firmwareComponents } from './firmware.ts';
import { matchSlots, type PlannedServer, type SkipCode, told } from './match-slots.ts';

/** What a plan is made from. */
export interface PlanInput {
  readonly inventory: PlannedServer & {
    /** What could not be read: nothing is called absent while the list of firmware has a gap. */
    readonly gaps: readonly { readonly path: string; readonly reason: string }[];
  };
  readonly firmwares: readonly Firmware[];
  readonly parameters: { readonly isForced: boolean };
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
  for (const firmware of [...firmwares].sort(byOrder)) {
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

/** One slot gets one image: the same one twice is left out, another version is a contradiction, installed or not. */
function rivalry(claims: readonly Claim[], { firmware, slots }: Claim): Refusal | undefined {
  const names = new Set(slots.map(({ slot }) => slot));
  const rival = claims.find((claim) => claim.slots.some(({ slot }) => names.has(slot)));
  if (rival === undefined) return undefined;
  if (rival.firmware.version === firmware.version && isSameChecksum(rival.firmware, firmware)) {
    const message = `${told(firmware)} is asked for twice (${rival.firmware.id} and ${firmware.id})`;
    return { skipped: { firmware, why: 'duplicate', message } };
  }
  const shared = rival.slots.filter(({ slot }) => names.has(slot)).map(({ slot }) => slot);
  const message = `${shared.join(', ')} cannot get both ${told(rival.firmware)} (${rival.firmware.id}) and ${told(firmware)} (${firmware.id})`;
  return { problem: { code: 'contradiction', message, isTransient: false } };
}

function choose(inventory: PlannedServer, { firmware, slots }: Claim, { isForced }: PlanInput['parameters']): Judged {
  const planned = slots.map(({ slot, component, uri, version }) => ({
    slot,
    component,
    uri,
    version,
    isCurrent: isSameVersion(inventory.vendor, version, firmware.version),
  }));
  if (isForced) return { action: { firmware, slots: planned } };
  if (planned.every(({ isCurrent }) => isCurrent)) {
    const message = `${told(firmware)} is installed already (${planned.map(({ slot }) => slot).join(', ')})`;
    return { skipped: { firmware, why: 'current', message } };
  }
  const silent = planned.filter(({ version }) => version.trim() === '');
  if (silent.length > 0) {
    const names = silent.map(({ slot }) => slot).join(', ');
    const message = `${names} shows no installed version, so it cannot be told whether ${told(firmware)} is needed: use force_install`;
    return { skipped: { firmware, why: 'no-version', message } };
  }
  return { action: { firmware, slots: planned } };
}

function isSameChecksum(one: Firmware, other: Firmware): boolean {
  const [a, b] = [one.checksum, other.checksum].map((text) => text.trim().toLowerCase().replace(/^\w+:/, ''));
  return a === b || a === '' || b === '';
}

/** The BMC first, since the rest goes through it; then as parts depend on each other. */
function byOrder(one: Firmware, other: Firmware): number {
  return rankOf(one) - rankOf(other) || compare(one.version, other.version) || compare(one.id, other.id);
}

function rankOf({ component }: Firmware): number {
  return firmwareComponents.indexOf(component);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
