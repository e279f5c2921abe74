import type { FirmwareSlot } from '../../bmc.ts';
import { isSamePath, linkIn, objectIn, textIn } from '../../redfish/index.ts';
import { componentOf } from '../component-type.ts';
import { type FirmwareEntry, type SlotHints, type SlotReader, toSlot } from './entry.ts';

/**
 * OpenBMC lists images, not places: ids are hashes of the version, and what an image is for stands in RelatedItem. The
 * images of one item make one slot; which of them runs, manager and system say.
 */
export const readOpenbmcSlots: SlotReader = (entries, hints) => {
  const places = Map.groupBy(entries, placeOf);
  return [...places].flatMap(([place, images]) =>
    place === '' ? images.map((each) => toSlot(each)) : [merge(place, images, hints)],
  );
};

/** BMC and BIOS have several images; everything else is listed under its own id. */
function placeOf(entry: FirmwareEntry): string {
  const component = componentOf({
    relatedItems: entry.relatedItems,
    names: [textIn(entry.body, 'Description'), entry.id, entry.name],
  });
  if (component === 'bmc') return 'bmc';
  const isHostImage =
    component === 'bios' || /^(?:host|bios) (?:image|version)/i.test(textIn(entry.body, 'Description') ?? '');
  return isHostImage ? 'bios' : '';
}

function merge(place: string, images: readonly FirmwareEntry[], hints: SlotHints): FirmwareSlot {
  const active = activeOf(place, images, hints);
  const others = images.filter((image) => image !== active);
  const isStaged = ({ state }: FirmwareEntry) => state === 'Updating' || state === 'StandbyOffline';
  return toSlot(active, {
    slot: place,
    component: place === 'bmc' ? 'bmc' : 'bios',
    pendingVersion: others.find(isStaged)?.version,
    previousVersion: others.find((image) => !isStaged(image) && image.version !== active.version)?.version,
  });
}

function activeOf(place: string, images: readonly FirmwareEntry[], hints: SlotHints): FirmwareEntry {
  const named = place === 'bmc' ? linkIn(objectIn(hints.manager ?? {}, 'Links'), 'ActiveSoftwareImage') : undefined;
  const running =
    place === 'bmc' ? textIn(hints.manager ?? {}, 'FirmwareVersion') : textIn(hints.system ?? {}, 'BiosVersion');
  const [first] = images as [FirmwareEntry, ...FirmwareEntry[]];
  return (
    images.find(({ path }) => named !== undefined && isSamePath(path, named)) ??
    images.find(({ version }) => running !== undefined && version === running) ??
    images.find(({ id }) => /active/i.test(id)) ??
    images.find(({ state }) => state === 'Enabled') ??
    first
  );
}
