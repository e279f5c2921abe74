import { ironcoreReasons, type ResolvedFirmware } from '../../api/index.ts';
import { showImage } from '../../conditionorc/index.ts';
import type { JsonObject, MachineRecord } from '../../engine/index.ts';
import type { PlannedServer } from '../../flasher/index.ts';
import {
  describePart,
  getInstalledParts,
  getPartClass,
  type InstalledPart,
  isSelected,
  type PartSelector,
  partName,
} from '../../parts/index.ts';
import type { FirmwareRecord } from '../../serverservice/index.ts';
import { compareVersions } from '../../versions/index.ts';
import { UpdateError } from '../errors.ts';
import type { InventoryReader } from '../mirror/installed.ts';
import { aimImages, type ChosenImages } from './aim-images.ts';
import type { FirmwareVersion } from './check-request.ts';
import { type Catalogue, findImages } from './find-images.ts';

/** What images are found and chosen with. */
export interface FreezeSources {
  readonly catalogue: Catalogue;
  /** What servers are known to have. */
  readonly inventory: InventoryReader;
}

/** What an update installs, and what of the request it cannot install everywhere. */
export interface FrozenImages {
  readonly images: readonly JsonObject[];
  readonly resolved: readonly ResolvedFirmware[];
}

/**
 * Finds the images that bring a server to these versions and writes down what they are: what the catalogue says later
 * changes nothing about this update. A version that the catalogue lacks, or that is only there for other hardware, is left
 * out and named; so are versions that mean one part. Throws `firmwareNotFound` with all that is missing where nothing is left.
 */
export async function freezeImages(
  { catalogue, inventory }: FreezeSources,
  machine: MachineRecord,
  firmwares: readonly FirmwareVersion[],
): Promise<FrozenImages> {
  const installed = await inventory.read(machine.id);
  const server = toServer(machine, installed?.server);
  const parts = getInstalledParts({ system: { manufacturer: machine.manufacturer }, firmware: server.slots });
  const found: Found[] = [];
  const resolved: ResolvedFirmware[] = [];
  for (const wanted of firmwares) {
    const { selected, product } = select(wanted, parts, machine);
    const choice = await choose(catalogue, { machine, server, wanted, parts, selected, product });
    if ('reason' in choice) {
      resolved.push({ ...show(machine, wanted), slots: [], reason: choice.reason, message: choice.message });
      continue;
    }
    const slots = [...new Set(choice.images.flatMap((one) => one.slots ?? []))].toSorted();
    const isPartial = product === undefined && selected.some(({ slot }) => !slots.includes(slot)) && slots.length > 0;
    found.push({ wanted, isPartial, slots, images: choice.images });
  }
  const images = new Map<string, JsonObject>();
  for (const one of found) {
    const { wanted, isPartial, slots } = one;
    const shown = { ...show(machine, wanted), slots: [...slots] };
    const rival = found.find((other) => contradicts(one, other));
    if (rival !== undefined) {
      const message = `${describe(machine, wanted)} is for ${slots.join(', ')}, and so is ${rival.wanted.version}: keep one of the entries`;
      resolved.push({ ...shown, reason: ironcoreReasons.contradictoryEntries, message });
      continue;
    }
    for (const { image, slots: own } of one.images) addImage(images, image, own);
    if (isPartial) resolved.push(shown);
  }
  if (images.size === 0) {
    const problems = resolved.flatMap(({ message }) => message ?? []);
    throw new UpdateError('firmwareNotFound', { server: machine.id }, { problems, resolved });
  }
  // In one order, so that asking twice for the same is asking for the same.
  return { images: [...images].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, image]) => image), resolved };
}

/** What was found for a firmware of a request. */
interface Found extends ChosenImages {
  readonly wanted: FirmwareVersion;
  /** True when it is for some of the selected parts only. */
  readonly isPartial: boolean;
  /** Slots that its images are for; none where the server was never read. */
  readonly slots: readonly string[];
}

/** A part gets one version: an install with two for one part would be refused as a whole. */
function contradicts({ wanted, slots }: Found, other: Found): boolean {
  if (other.wanted === wanted || !slots.some((slot) => other.slots.includes(slot))) return false;
  const { manufacturer: vendor, name, version } = wanted;
  return compareVersions({ vendor, component: partName(name), version, than: other.wanted.version }) !== 'same';
}

function toServer(machine: MachineRecord, installed: PlannedServer | undefined): PlannedServer {
  const { manufacturer, model } = machine;
  if (installed === undefined) return { vendor: 'generic', manufacturer, model, slots: [] };
  return { ...installed, manufacturer: installed.manufacturer ?? manufacturer, model: installed.model ?? model };
}

/**
 * The parts that a firmware of a request means. Where no part has its model, that is the name of a published product:
 * which parts it is for its images tell, whose models have it.
 */
function select(
  { excludedSlots = [], ...wanted }: FirmwareVersion,
  parts: readonly InstalledPart[],
  { manufacturer }: MachineRecord,
): Pick<Choosing, 'selected' | 'product'> {
  const find = (selector: PartSelector) => parts.filter((part) => isSelected(selector, part, manufacturer));
  const own = find(wanted);
  const { model: product, ...ofAnyModel } = wanted;
  const isOwn = own.length > 0 || product === undefined || parts.length === 0;
  const selected = (isOwn ? own : find(ofAnyModel)).filter(({ slot }) => !excludedSlots.includes(slot));
  return { selected, product: isOwn ? undefined : product };
}

interface Choosing {
  readonly machine: MachineRecord;
  readonly server: PlannedServer;
  readonly wanted: FirmwareVersion;
  readonly parts: readonly InstalledPart[];
  readonly selected: readonly InstalledPart[];
  /** The name of a published product, where that says which of the selected parts are meant. */
  readonly product: string | undefined;
}

type Choice = ChosenImages | { readonly reason: string; readonly message: string };

/** Looks through what the catalogue has under each spelling until something fits the parts. */
async function choose(catalogue: Catalogue, choosing: Choosing): Promise<Choice> {
  const { machine, server, wanted, parts, selected, product } = choosing;
  const what = describe(machine, wanted);
  const { notApplicable, firmwareNotFound } = ironcoreReasons;
  if (server.slots.length > 0 && selected.length === 0) {
    const there = parts.filter(({ name }) => name === partName(wanted.name)).map(describePart);
    const installed = there.length === 0 ? describeMissing(server, wanted) : `installed: ${there.join('; ')}`;
    return {
      reason: notApplicable,
      message: `${what} matches no installed part (${installed}); correct the entry or remove it`,
    };
  }
  let problem: string | undefined;
  let isInband = false;
  for await (const found of findImages(catalogue, machine, { wanted, selected })) {
    const named = product === undefined ? found : found.filter(({ models }) => isNamed(product, models));
    if (named.length === 0) problem ??= `the catalogue has this version for other products than ${product}`;
    const usable = named.filter((one) => !one.isInband);
    isInband ||= usable.length < named.length;
    if (usable.length === 0) continue;
    const chosen = aimImages(usable, { server, selected });
    if ('images' in chosen) return chosen;
    problem ??= chosen.problem;
  }
  if (problem !== undefined) return { reason: notApplicable, message: `${what}: ${problem}` };
  const message = isInband
    ? `${what} can be installed only by a tool on the host`
    : `there is no ${what} in the catalogue: let a discovery find it in a --catalog of the update service (spec.versionsToStore of DiscoveredFirmware limits only what status lists), or add it to the catalogue`;
  return { reason: firmwareNotFound, message };
}

function isNamed(product: string, models: readonly string[]): boolean {
  return models.some((model) => model.trim().toLowerCase() === product.toLowerCase());
}

/** A part whose version the BMC does not tell is there, and cannot be compared. */
function describeMissing({ slots }: PlannedServer, { name }: FirmwareVersion): string {
  const silent = slots.filter((slot) => slot.isBackup !== true && getPartClass(slot) === partName(name));
  if (silent.length === 0) return `the server has no ${name}`;
  return `the BMC tells no version of ${silent.map(({ slot }) => slot).join(', ')}`;
}

function describe(machine: MachineRecord, wanted: FirmwareVersion): string {
  const maker = wanted.manufacturer === '' ? machine.manufacturer : wanted.manufacturer;
  const { model = '', softwareId = '', slot = '' } = wanted;
  const narrowed = [model, softwareId, slot].filter((text) => text !== '').join(' ');
  const name = `${wanted.name}${narrowed === '' ? '' : ` ${narrowed}`}`;
  return `${name} ${wanted.version} of ${maker || 'an unknown maker'} for model ${machine.model || '(unknown)'}`;
}

/** An entry as it was asked for. */
function show({ manufacturer: own }: MachineRecord, wanted: FirmwareVersion): Omit<ResolvedFirmware, 'slots'> {
  const { name, manufacturer, version, model = '', softwareId = '', slot = '' } = wanted;
  return {
    name,
    manufacturer: manufacturer === '' ? own : manufacturer,
    version,
    ...(model === '' ? {} : { model }),
    ...(softwareId === '' ? {} : { softwareId }),
    ...(slot === '' ? {} : { slot }),
  };
}

/** One image may be for parts of several entries. */
function addImage(images: Map<string, JsonObject>, image: FirmwareRecord, slots: readonly string[] | undefined): void {
  const before = images.get(image.id)?.slots;
  const all = [...(Array.isArray(before) ? (before as string[]) : []), ...(slots ?? [])];
  images.set(image.id, showImage(image, [...new Set(all)].toSorted()));
}
