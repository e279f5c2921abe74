import type { JsonObject, MachineRecord } from '../../engine/index.ts';
import { toComponent, wordsOf } from '../../flasher/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { compareVersions, readVendor } from '../../versions/index.ts';
import { UpdateError } from '../errors.ts';
import type { InventoryReader } from '../mirror/installed.ts';
import type { FirmwareVersion } from './check-request.ts';
import { chooseImages } from './choose-images.ts';

/** The one catalogue: Serverservice's firmware versions. */
export type Catalogue = Pick<Serverservice['firmware'], 'resolve' | 'list'>;

/** What images are found and chosen with. */
export interface FreezeSources {
  readonly catalogue: Catalogue;
  /** What servers are known to have. */
  readonly inventory: InventoryReader;
}

const wholePage = { limit: 1000, orderBy: 'created_at', isDescending: false };

/**
 * Finds the images that bring a server to these versions and writes down what they are: what the catalogue says later
 * changes nothing about this update. Throws `firmwareNotFound` with all that is missing, or that is only there for other
 * hardware.
 */
export async function freezeImages(
  { catalogue, inventory }: FreezeSources,
  machine: MachineRecord,
  firmwares: readonly FirmwareVersion[],
): Promise<JsonObject[]> {
  const slots = (await inventory.read(machine.id))?.server.slots ?? [];
  const problems: string[] = [];
  const images = new Map<string, JsonObject>();
  for (const wanted of firmwares) {
    const found = await findImages(catalogue, machine, wanted);
    const usable = found.filter(({ isInband }) => !isInband);
    if (usable.length === 0) {
      problems.push(describeMissing(machine, wanted, found.length > 0));
      continue;
    }
    const chosen = chooseImages(usable, slots);
    if ('problem' in chosen) problems.push(`${describe(machine, wanted)}: ${chosen.problem}`);
    else for (const one of chosen.images) images.set(one.id, showImage(one));
  }
  if (problems.length > 0) throw new UpdateError('firmwareNotFound', { server: machine.id }, { problems });
  // In one order, so that asking twice for the same is asking for the same.
  return [...images].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, image]) => image);
}

async function findImages(
  catalogue: Catalogue,
  machine: MachineRecord,
  wanted: FirmwareVersion,
): Promise<readonly FirmwareRecord[]> {
  const maker = wanted.manufacturer === '' ? machine.manufacturer : wanted.manufacturer;
  for (const component of spellingsOf(wanted.name)) {
    for (const vendor of new Set([readVendor(maker).key, maker.toLowerCase()])) {
      const asked = { vendor, model: machine.model, component, version: wanted.version };
      const exact = await catalogue.resolve(asked);
      const found = exact.length > 0 ? exact : await findOtherSpelling(catalogue, asked);
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** The catalogue has components as whoever filled it spelled them. */
function spellingsOf(name: string): ReadonlySet<string> {
  const known = toComponent(name);
  return new Set([...(known === undefined ? [] : wordsOf(known)), name.trim().toLowerCase()]);
}

interface Asked {
  readonly vendor: string;
  readonly model: string;
  readonly component: string;
  readonly version: string;
}

/** Vendors write one version in several ways. */
async function findOtherSpelling(catalogue: Catalogue, asked: Asked): Promise<readonly FirmwareRecord[]> {
  const { vendor, component, version } = asked;
  const same = (await listAll(catalogue, { vendor, component })).filter(
    (one) => compareVersions({ vendor, component, version, than: one.version }) === 'same' && isForModel(one, asked),
  );
  const named = same.filter(({ models }) => models.length > 0);
  return (named.length > 0 ? named : same).toSorted(newestFirst);
}

/** As the catalogue orders what it finds by itself. */
function newestFirst(one: FirmwareRecord, other: FirmwareRecord): number {
  return other.createdAt - one.createdAt || (one.filename < other.filename ? -1 : 1);
}

async function listAll(
  catalogue: Catalogue,
  query: Pick<Asked, 'vendor' | 'component'>,
): Promise<readonly FirmwareRecord[]> {
  const found: FirmwareRecord[] = [];
  for (let page = 1; ; page++) {
    const { records, total } = await catalogue.list(query, { ...wholePage, page });
    found.push(...records);
    if (records.length === 0 || found.length >= total) return found;
  }
}

function isForModel({ models }: FirmwareRecord, { model }: Asked): boolean {
  return models.length === 0 || models.some((one) => one.toLowerCase() === model.trim().toLowerCase());
}

function describeMissing(machine: MachineRecord, wanted: FirmwareVersion, isInband: boolean): string {
  const what = describe(machine, wanted);
  return isInband
    ? `${what} can be installed only by a tool on the host`
    : `there is no ${what}; let it be discovered, or add it to the catalogue`;
}

function describe(machine: MachineRecord, wanted: FirmwareVersion): string {
  const maker = wanted.manufacturer === '' ? machine.manufacturer : wanted.manufacturer;
  return `${wanted.name} ${wanted.version} of ${maker || 'an unknown maker'} for model ${machine.model || '(unknown)'}`;
}

/** An image in the words of the parameters of an install. */
function showImage(one: FirmwareRecord): JsonObject {
  return {
    id: one.id,
    vendor: one.vendor,
    component: one.component,
    version: one.version,
    filename: one.filename,
    URL: one.url,
    checksum: one.checksum,
    models: [...one.models],
    ...(one.softwareIds.length === 0 ? {} : { software_ids: [...one.softwareIds] }),
    install_inband: one.isInband,
    oem: one.isOem,
  };
}
