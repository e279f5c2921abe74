import type { FirmwareSlot, VendorName } from '../../bmc/index.ts';
import { getPartClass, isPartOfServer } from '../../parts/index.ts';
import type { Firmware } from './firmware.ts';

/** What is known of a server when firmware is chosen for it. */
export interface PlannedServer {
  readonly vendor: VendorName;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  readonly slots: readonly FirmwareSlot[];
  /** Models of drives by their id, for inventories that name a drive only by its bay. */
  readonly driveModels?: ReadonlyMap<string, string>;
}

/** Which slots an image is for; none, and then why not. */
export type SlotMatch =
  | { readonly kind: 'slots'; readonly slots: readonly FirmwareSlot[] }
  | { readonly kind: 'none'; readonly why: SkipCode; readonly message: string }
  /** Several kinds of parts could be meant. */
  | { readonly kind: 'ambiguous'; readonly message: string };

/** Why an image is not installed, in a word. */
export type SkipCode =
  | 'inband'
  | 'other-vendor'
  | 'other-model'
  | 'absent'
  | 'not-updateable'
  | 'current'
  | 'no-version'
  | 'older'
  | 'duplicate';

/** Whose parts are made for their own servers. */
const serverVendors: readonly string[] = ['dell', 'hpe', 'lenovo', 'supermicro'];

/** Finds the slots of a server that an image is for. */
export function matchSlots(server: PlannedServer, firmware: Firmware): SlotMatch {
  const isNamed = ({ slot }: FirmwareSlot) => firmware.slots?.includes(slot) ?? true;
  const all = server.slots.filter((slot) => slot.isBackup !== true && isOfComponent(slot, firmware) && isNamed(slot));
  if (!isPartOfServer(firmware.component)) return matchParts(server, firmware, all);
  if (!isServerVendor(server, firmware.vendor)) return otherVendor(server, firmware);
  // A server may have several CPLDs: then the models can name the one that is meant.
  const named = all.filter((slot) => slot.component === 'cpld' && isPartModel(slot, server, firmware.models));
  if (named.length === 0 && !isServerModel(server, firmware.models)) return otherModel(server, firmware);
  if (all.length === 0) return absent(firmware);
  const meant = named.length > 0 ? named : all;
  const updateable = meant.filter(({ isUpdateable }) => isUpdateable);
  // Some inventories deny it of the very parts that every update is for.
  return ofOneKind(updateable.length > 0 ? updateable : meant, firmware);
}

function matchParts(server: PlannedServer, firmware: Firmware, all: readonly FirmwareSlot[]): SlotMatch {
  const isOwnVendor = isServerVendor(server, firmware.vendor);
  const isOfOther = !isOwnVendor && serverVendors.includes(bare(firmware.vendor));
  if (all.length === 0) return isOfOther ? otherVendor(server, firmware) : absent(firmware);
  // Inventories seldom tell the vendor of a part; then a model that is named and found will do.
  const mayBeUnsaid = !serverVendors.includes(bare(firmware.vendor));
  const ofVendor = all.filter(
    (slot) =>
      isOwnVendor || isPartVendor(slot, firmware.vendor) || (mayBeUnsaid && isPartModel(slot, server, firmware.models)),
  );
  if (ofVendor.length === 0) return otherVendor(server, firmware);
  const named = ofVendor.filter((slot) => isPartModel(slot, server, firmware.models));
  // Models of servers instead of parts: right only where there is but one kind of the part.
  const isForServer = named.length === 0 && isServerModel(server, firmware.models);
  const matching = isForServer ? ofVendor : named;
  if (matching.length === 0) return otherModel(server, firmware);
  const updateable = matching.filter(({ isUpdateable }) => isUpdateable);
  if (updateable.length === 0) {
    const names = matching.map(({ slot }) => slot).join(', ');
    return { kind: 'none', why: 'not-updateable', message: `the BMC cannot update ${names}` };
  }
  return ofOneKind(updateable, firmware);
}

/** An image is for one kind of part. Where several fit, only the vendor's own id can tell, and nothing is guessed. */
function ofOneKind(slots: readonly FirmwareSlot[], firmware: Firmware): SlotMatch {
  const { softwareIds = [] } = firmware;
  if (softwareIds.length > 0 && slots.some((slot) => idsOf(slot).length > 0)) {
    const meant = slots.filter((slot) => isForSlot(softwareIds, slot));
    return meant.length > 0 ? { kind: 'slots', slots: meant } : otherHardware(slots, firmware);
  }
  const kinds = new Set(slots.map(kindOf));
  if (kinds.size <= 1) return { kind: 'slots', slots };
  const names = slots.map(({ slot, name }) => `${slot} (${name})`).join(', ');
  return {
    kind: 'ambiguous',
    message: `${told(firmware)} could be for any of ${names}: name the model of the part, or its software id`,
  };
}

/** The vendor's own ids of what firmware a place takes; none where the BMC does not tell. Dell's `0` is none. */
export function idsOf({ softwareId, otherSoftwareIds = [] }: FirmwareSlot): readonly string[] {
  return [softwareId, ...otherSoftwareIds].map(fold).filter((id) => id !== '' && id !== '0');
}

/** True where a place shows one of the ids that an image is for. */
export function isForSlot(softwareIds: readonly string[], slot: FirmwareSlot): boolean {
  const shown = idsOf(slot);
  return softwareIds.some((id) => shown.includes(fold(id)));
}

/** Ports of one card have names that differ in their address or number only. */
function kindOf({ softwareId, name, component }: FirmwareSlot): string {
  if (component === 'bmc' || component === 'bios') return component;
  if (softwareId !== undefined && softwareId !== '' && softwareId !== '0') return softwareId;
  return fold(name)
    .replace(/\s+-\s+(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/, '')
    .replaceAll(/\d+/g, '#');
}

/** Some catalogues call everything that has no class of its own `other`, backplanes included. */
function isOfComponent(slot: FirmwareSlot, { component }: Firmware): boolean {
  return getPartClass(slot) === component || slot.component === component;
}

function isServerVendor({ vendor, manufacturer }: PlannedServer, wanted: string): boolean {
  const word = bare(wanted);
  if (word === '' || word === vendor) return true;
  const maker = bare(manufacturer ?? '');
  return maker !== '' && (maker.startsWith(word) || word.startsWith(maker));
}

function isPartVendor(slot: FirmwareSlot, wanted: string): boolean {
  const word = fold(wanted);
  return [slot.vendor, slot.name, slot.model].some((text) => fold(text).includes(word));
}

function isServerModel({ model }: PlannedServer, models: readonly string[]): boolean {
  return isAny(models) || models.some((each) => fold(model) !== '' && fold(model).includes(fold(each)));
}

/** True where an image names the product of a part, not only servers that may have it. */
export function isNamingPart({ model }: FirmwareSlot, { models }: Pick<Firmware, 'models'>): boolean {
  return fold(model) !== '' && models.some((each) => fold(each) === fold(model));
}

function isPartModel(slot: FirmwareSlot, server: PlannedServer, models: readonly string[]): boolean {
  const texts = [slot.model, slot.name, slot.softwareId, server.driveModels?.get(slot.slot)].map(fold);
  return models.some((each) => fold(each) !== '' && texts.some((text) => text.includes(fold(each))));
}

function isAny(models: readonly string[]): boolean {
  return models.length === 0 || models.some((each) => each.trim() === '*');
}

function fold(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

/** `Dell Inc.` and `dell`, `Super Micro Computer` and `supermicro` are one. */
function bare(text: string): string {
  return fold(text)
    .replaceAll(/\b(?:inc|ltd|corp|corporation|co|gmbh|technologies|computer)\b\.?/g, '')
    .replaceAll(/[^a-z0-9]/g, '');
}

function otherVendor({ manufacturer, vendor }: PlannedServer, firmware: Firmware): SlotMatch {
  const message = `${told(firmware)} is for ${firmware.vendor}; this server is of ${manufacturer ?? vendor}`;
  return { kind: 'none', why: 'other-vendor', message };
}

function otherModel({ model }: PlannedServer, firmware: Firmware): SlotMatch {
  const message = `${told(firmware)} is for ${firmware.models.join(', ')}; nothing of that is in this server (${model ?? 'of unknown model'})`;
  return { kind: 'none', why: 'other-model', message };
}

function otherHardware(slots: readonly FirmwareSlot[], firmware: Firmware): SlotMatch {
  const meant = listed(firmware.softwareIds ?? []);
  const there = slots.map((slot) => `${slot.slot} (${listed(idsOf(slot)) || 'which shows none'})`).join(', ');
  const message = `${told(firmware)} is for other hardware: the ids that it is for are ${meant}; here there is ${there}`;
  return { kind: 'none', why: 'absent', message };
}

const mostShown = 5;

function listed(ids: readonly string[]): string {
  const more = ids.length - mostShown;
  return [...ids.slice(0, mostShown), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function absent(firmware: Firmware): SlotMatch {
  return { kind: 'none', why: 'absent', message: `this server shows no ${firmware.component}` };
}

/** A firmware in a few words. */
export function told({
  component,
  version,
  filename = '',
}: Pick<Firmware, 'component' | 'version'> & Partial<Pick<Firmware, 'filename'>>): string {
  if (version !== '') return `${component} ${version}`;
  return filename === '' ? `${component} image` : `${component} image ${filename}`;
}
