import { createHash } from 'node:crypto';
import { readFirmware, systemOf } from '../../../bmc/index.ts';
import type { JsonObject } from '../../../engine/index.ts';
import type { FirmwareUpdate, Outcome } from '../../provisioner.ts';
import type { HostRecord } from '../host-record.ts';
import type { LinkedImage } from '../ports.ts';
import { changeRecord, goesOn, type Workplace, withRecord } from '../workplace.ts';

/** The images of updates, each as a `firmwareInstall` takes it, in their order. */
export type FoundImages =
  | { readonly kind: 'found'; readonly images: readonly JsonObject[]; readonly links: Links }
  | { readonly kind: 'reading' }
  | { readonly kind: 'refused'; readonly messages: readonly string[]; readonly links: Links };

type Links = Readonly<Record<string, LinkedImage>>;

type Found =
  | { readonly kind: 'image'; readonly image: JsonObject; readonly link?: readonly [string, LinkedImage] }
  | { readonly kind: 'reading' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Finds the images of updates: those of the catalogue with version and checksum, others by their links. What a link led to
 * when it was specified is what is installed.
 */
export async function findImages(
  place: Workplace,
  { links: known = {} }: Pick<HostRecord, 'links'>,
  updates: readonly FirmwareUpdate[],
): Promise<FoundImages> {
  const reached = place.reach();
  if (updates.length === 0 || reached.kind !== 'bmc') return { kind: 'found', images: [], links: {} };
  const { body } = await systemOf(reached.bmc);
  const [manufacturer, model] = [String(body.Manufacturer ?? ''), String(body.Model ?? '')];
  const found = await Promise.all(updates.map((update) => find(place, { update, manufacturer, model, known })));
  const links = Object.fromEntries(found.flatMap((each) => ('link' in each && each.link ? [each.link] : [])));
  const messages = found.flatMap((each) => (each.kind === 'refused' ? [each.message] : []));
  if (messages.length > 0) return { kind: 'refused', messages, links };
  if (found.some(({ kind }) => kind === 'reading')) return { kind: 'reading' };
  return { kind: 'found', images: found.flatMap((each) => (each.kind === 'image' ? [each.image] : [])), links };
}

interface Wanted {
  readonly update: FirmwareUpdate;
  readonly manufacturer: string;
  readonly model: string;
  readonly known: Links;
}

async function find({ parts }: Workplace, { update, manufacturer, model, known }: Wanted): Promise<Found> {
  const { component, url } = update;
  const catalogued = await parts.catalogue.find({ component, url, manufacturer, model });
  if (catalogued !== undefined) return { kind: 'image', image: catalogued };
  if (parts.links === undefined) {
    const message = `the image of ${component} is not in the catalogue: add it with its version and checksum, or allow links (--firmware-links any)`;
    return { kind: 'refused', message };
  }
  const pinned = known[url];
  const read = pinned === undefined ? await parts.links.read(url) : { kind: 'image' as const, image: pinned };
  if (read.kind === 'refused') return { kind: 'refused', message: `the image of ${component}: ${read.message}` };
  if (read.kind === 'reading') return read;
  return { kind: 'image', image: linked({ update, manufacturer }, read.image), link: [url, read.image] };
}

/** An image of which nothing is known but where it is, what it hashes to and what it is for. */
function linked(
  { update: { component, url }, manufacturer }: Pick<Wanted, 'update' | 'manufacturer'>,
  { checksum, sizeBytes }: LinkedImage,
): JsonObject {
  const [kind = component, slot] = component.split(/:(.*)/s);
  const filename = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  return {
    id: `link-${createHash('sha256').update(`${component} ${url}`).digest('hex').slice(0, 12)}`,
    ...{ vendor: manufacturer, version_unknown: true, component: kind, filename, URL: url, checksum, size: sizeBytes },
    models: [],
    ...(slot === undefined || slot === '' ? {} : { slots: [slot] }),
  };
}

/** Says why updates cannot be made, before anything is done to the host. What their links lead to is kept from then on. */
export function checkUpdates(
  place: Workplace,
  updates: readonly FirmwareUpdate[],
): Promise<Outcome<readonly string[]>> {
  return withRecord<readonly string[]>(place, async (record) => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const unknown = await place.parts.desk.whyUnknown({ machine: record.id, address: reached.address });
    if (unknown !== undefined) return { kind: 'done', value: [unknown] };
    const found = await findImages(place, record, updates);
    if (found.kind === 'reading') return goesOn(place);
    await changeRecord(place, (now) => ({ ...now, links: found.links }));
    if (found.kind === 'refused') return { kind: 'done', value: found.messages };
    const { whyNot } = place.parts.catalogue;
    if (whyNot === undefined) return { kind: 'done', value: [] };
    const { vendor } = await reached.bmc.root();
    const { body } = await systemOf(reached.bmc);
    const { slots, gaps } = await readFirmware(reached.bmc);
    const [manufacturer, model] = [textOf(body.Manufacturer), textOf(body.Model)];
    return { kind: 'done', value: whyNot(found.images, { vendor, manufacturer, model, slots, gaps }) };
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
