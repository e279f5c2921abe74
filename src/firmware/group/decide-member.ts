import { type Firmware, groupAnnotation, type Server, type ServerFirmwareGroup } from '../../api/index.ts';
import type { Decision, Reason } from '../../kube/index.ts';
import { selectorKey } from '../../parts/index.ts';
import { fitOf, groupNameOf, isHalted, isPaused } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey, type FirmwareEntryKey, type Ownership, readEntryKey } from '../fleet/ownership.ts';
import { takenParts } from './taken-parts.ts';

/** What decides which entries of groups a ServerFirmware has. */
export interface MemberSeen {
  readonly firmware: OwnedFirmware;
  readonly server: Server | undefined;
  /** Every group whose selector selects it. */
  readonly groups: readonly ServerFirmwareGroup[];
}

/** Makes the entries that groups own exactly these; none gives all of them back. */
export interface ApplyEntries {
  readonly kind: 'apply-entries';
  readonly key: string;
  /** Undefined: no group has a say here. */
  readonly group: string | undefined;
  /** What the group wants, whoever owns it. */
  readonly firmwares: readonly Firmware[];
  /** Whose BIOS `spec.bios` is about. */
  readonly serverManufacturer: string | undefined;
}

/** What is decided about one member; its status is not the group controller's to write. */
export type MemberDecision = Decision<ApplyEntries, never>;

/** How a group stands to a server it selects. */
export type Membership =
  /** The group's entries are there, or will be. */
  | { readonly kind: 'member'; readonly group: ServerFirmwareGroup }
  /** The group may not write: entries stay as they are. */
  | { readonly kind: 'frozen'; readonly group: ServerFirmwareGroup; readonly reason: Reason }
  /** Several groups select it: neither writes. */
  | { readonly kind: 'contested'; readonly groups: readonly ServerFirmwareGroup[] }
  /** Another manufacturer or model. */
  | { readonly kind: 'other-hardware'; readonly group: ServerFirmwareGroup }
  /** The manufacturer and model are not known yet. */
  | { readonly kind: 'unknown-hardware'; readonly group: ServerFirmwareGroup }
  | { readonly kind: 'none' };

/** How the groups that select a server stand to it. Pure. */
export function membershipOf({ server, groups }: Pick<MemberSeen, 'server' | 'groups'>): Membership {
  const [group, second] = groups;
  if (group === undefined) return { kind: 'none' };
  if (second !== undefined) return { kind: 'contested', groups };
  const fit = fitOf(group, server);
  if (fit === 'other') return { kind: 'other-hardware', group };
  if (fit === 'unknown') return { kind: 'unknown-hardware', group };
  const { name } = group.metadata;
  if (isPaused(group)) {
    return { kind: 'frozen', group, reason: { code: 'GroupPaused', message: `the group ${name} is paused` } };
  }
  if (isHalted(group)) {
    return { kind: 'frozen', group, reason: { code: 'GroupHalted', message: `the group ${name} has halted` } };
  }
  return { kind: 'member', group };
}

/**
 * Decides which entries of groups belong on a server. Entries of somebody else are never touched: what a user wrote wins.
 * Entries of a group that does not select the server any more go, also while its new group may not write. Pure.
 */
export function decideMember(seen: MemberSeen): MemberDecision {
  const membership = membershipOf(seen);
  const effects = seen.firmware.metadata.deletionTimestamp === undefined ? effectsOf(seen, membership) : [];
  return { effects, status: undefined, wake: { on: 'change' }, why: [describeMembership(membership)] };
}

function effectsOf({ firmware, server, groups }: MemberSeen, membership: Membership): ApplyEntries[] {
  const { ownership, metadata } = firmware;
  const writer = groupNameOf(firmware);
  const serverManufacturer = server?.status?.manufacturer;
  if (membership.kind === 'member') {
    const { name } = membership.group.metadata;
    const firmwares = membership.group.spec.firmwares ?? [];
    const wish = { group: name, firmwares, serverManufacturer };
    return hasEntries(firmware, wish) ? [] : [applyTo(metadata.name, wish)];
  }
  if (!ownership.isGroupManaged) return [];
  const isStillSelected = writer !== undefined && groups.some((group) => group.metadata.name === writer);
  // What a group wrote stays while it may not write, as long as the server is its own.
  const isKept = isStillSelected && membership.kind !== 'other-hardware';
  const nothing = { group: undefined, firmwares: [], serverManufacturer };
  return isKept || hasEntries(firmware, nothing) ? [] : [applyTo(metadata.name, nothing)];
}

/** What a group wants of a server. */
type Wish = Pick<ApplyEntries, 'group' | 'firmwares' | 'serverManufacturer'>;

/**
 * What is applied for a group: its entries without those whose version somebody else owns. Of an entry of ours that
 * somebody edited the keys stay, since it would go as a whole when we let go of it.
 */
export function entriesToApply(
  { firmwares, serverManufacturer }: Pick<ApplyEntries, 'firmwares' | 'serverManufacturer'>,
  ownership: Ownership,
): readonly (FirmwareEntryKey & { readonly version?: string })[] {
  const { groupEntries, editedEntries, otherEntries, otherItems } = ownership;
  const theirs = takenParts(ownership, serverManufacturer);
  const own = firmwares.filter((entry) => !theirs.has(selectorKey(entry)));
  const edited = [...groupEntries, ...editedEntries].filter((key) => otherEntries.has(key) && !otherItems.has(key));
  return [...own, ...edited.map(readEntryKey)];
}

function hasEntries({ ownership, spec, metadata }: OwnedFirmware, wish: Wish): boolean {
  const marked = metadata.annotations?.[groupAnnotation];
  if (!ownership.isGroupAnnotationTaken && marked !== wish.group) return false;
  const present = new Map((spec.firmwares ?? []).map((entry) => [entryKey(entry), entry.version]));
  const wanted = entriesToApply(wish, ownership);
  if (wanted.length !== ownership.groupEntries.size + ownership.editedEntries.size) return false;
  return wanted.every((entry) => {
    const key = entryKey(entry);
    if (entry.version === undefined) return ownership.editedEntries.has(key);
    return ownership.groupEntries.has(key) && present.get(key) === entry.version;
  });
}

function applyTo(name: string | undefined, wish: Wish): ApplyEntries {
  return { kind: 'apply-entries', key: `entries/${name}`, ...wish };
}

/** A membership in words. */
export function describeMembership(membership: Membership): Reason {
  switch (membership.kind) {
    case 'none':
      return { code: 'NoGroup', message: 'no group selects it' };
    case 'member':
      return { code: 'InGroup', message: `it is in the group ${membership.group.metadata.name}` };
    case 'frozen':
      return membership.reason;
    case 'contested': {
      const names = membership.groups.map(({ metadata }) => metadata.name).join(', ');
      return { code: 'SelectorConflict', message: `several groups select it, so none of them writes: ${names}` };
    }
    case 'other-hardware': {
      const { metadata, spec } = membership.group;
      const message = `the group ${metadata.name} selects it, and is for ${spec.manufacturer} ${spec.model} only`;
      return { code: 'OtherHardware', message };
    }
    case 'unknown-hardware': {
      const message = `the group ${membership.group.metadata.name} selects it, and what it is is not known yet`;
      return { code: 'HardwareUnknown', message };
    }
  }
}
