import type { MachineRecord } from '../../engine/index.ts';
import { type InstalledPart, toComponent, wordsOf } from '../../parts/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { compareVersions, readVendor } from '../../versions/index.ts';
import type { FirmwareVersion } from './check-request.ts';

/** The one catalogue: Serverservice's firmware versions. */
export type Catalogue = Pick<Serverservice['firmware'], 'resolve' | 'list'>;

/** What is looked for. */
export interface ImageQuery {
  readonly wanted: FirmwareVersion;
  /** The parts that it is for. */
  readonly selected: readonly InstalledPart[];
}

const wholePage = { limit: 1000, orderBy: 'created_at', isDescending: false };

/** What the catalogue has of a version, one spelling of component and publisher after another. */
export async function* findImages(
  catalogue: Catalogue,
  machine: MachineRecord,
  { wanted, selected }: ImageQuery,
): AsyncGenerator<readonly FirmwareRecord[]> {
  for (const component of spellingsOf(wanted.name)) {
    for (const vendor of publishersOf(wanted, machine)) {
      const asked = { vendor, model: machine.model, component, version: wanted.version };
      const exact = await catalogue.resolve(asked);
      const found = exact.length > 0 ? exact : await findOtherSpelling(catalogue, asked, selected);
      if (found.length > 0) yield found;
    }
  }
}

/** The catalogue has components as whoever filled it spelled them. */
function spellingsOf(name: string): ReadonlySet<string> {
  const known = toComponent(name);
  return new Set([...(known === undefined ? [] : wordsOf(known)), name.trim().toLowerCase()]);
}

/** Firmware of a part is published by its maker or by the maker of the server. */
function publishersOf({ manufacturer }: FirmwareVersion, machine: MachineRecord): ReadonlySet<string> {
  const makers = [manufacturer, machine.manufacturer].filter((maker) => maker !== '');
  return new Set(makers.flatMap((maker) => [readVendor(maker).key, maker.toLowerCase()]));
}

interface Asked {
  readonly vendor: string;
  readonly model: string;
  readonly component: string;
  readonly version: string;
}

/** Vendors write one version in several ways, and some say only for which part it is. */
async function findOtherSpelling(
  catalogue: Catalogue,
  asked: Asked,
  selected: readonly InstalledPart[],
): Promise<readonly FirmwareRecord[]> {
  const { vendor, component, version } = asked;
  const same = (await listAll(catalogue, { vendor, component })).filter(
    (one) =>
      compareVersions({ vendor, component, version, than: one.version }) === 'same' &&
      (isForModel(one, asked) || isForPart(one, selected)),
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

function isForPart({ models }: FirmwareRecord, selected: readonly InstalledPart[]): boolean {
  const known = new Set(
    selected.flatMap(({ model, softwareId }) => [model, softwareId]).map((text) => text.toLowerCase()),
  );
  known.delete('');
  return models.some((one) => known.has(one.trim().toLowerCase()));
}
