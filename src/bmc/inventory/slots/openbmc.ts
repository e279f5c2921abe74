import type { ComponentType, FirmwareSlot } from '../../bmc.ts';
import { isSamePath, lastSegment, linkIn, objectIn, textIn } from '../../redfish/index.ts';
import { componentOf } from '../component-type.ts';
import { type FirmwareEntry, type SlotHints, type SlotReader, toSlot } from './entry.ts';

/**
 * OpenBMC lists images, not places: ids are hashes of the version, names are all the same, and what an image is for
 * stands in RelatedItem and Description. The images of BMC and BIOS make one slot each; which of them runs, manager and
 * system say.
 */
export const readOpenbmcSlots: SlotReader = (entries, hints) => {
  const images = new Map<string, FirmwareEntry[]>();
  const others: FirmwareSlot[] = [];
  for (const entry of entries) {
    const component = componentOfImage(entry);
    if (component !== 'bmc' && component !== 'bios') others.push(toOtherSlot(entry, component));
    else images.set(component, [...(images.get(component) ?? []), entry]);
  }
  return [...[...images].map(([place, all]) => merge(place, all, hints)), ...others];
};

function componentOfImage(entry: FirmwareEntry): ComponentType {
  const description = textIn(entry.body, 'Description');
  const component = componentOf({ relatedItems: entry.relatedItems, names: [description, entry.id, entry.name] });
  return component === 'other' && /^host (?:image|version)/i.test(description ?? '') ? 'bios' : component;
}

/** The hash changes with every version; what the image is for does not. */
function toOtherSlot(entry: FirmwareEntry, component: ComponentType): FirmwareSlot {
  const item = entry.relatedItems.find((path) => !/\/(?:Chassis|Systems|Managers)\/[^/]+\/?$/.test(path));
  const description = textIn(entry.body, 'Description');
  const slot = item === undefined ? (description ?? entry.id) : lastSegment(item);
  return toSlot(entry, { slot, component, name: description ?? entry.name });
}

function merge(place: string, images: readonly FirmwareEntry[], hints: SlotHints): FirmwareSlot {
  const active = activeOf(place, images, hints);
  const others = images.filter((image) => image !== active);
  const isStaged = ({ state }: FirmwareEntry) => state === 'Updating' || state === 'StandbyOffline';
  return toSlot(active, {
    slot: place,
    name: textIn(active.body, 'Description') ?? active.name,
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
