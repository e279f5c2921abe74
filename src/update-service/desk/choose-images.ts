import type { FirmwareSlot } from '../../bmc/index.ts';
import { idsOf, isForSlot } from '../../flasher/index.ts';
import { type FirmwareComponent, isPartOfServer, partName } from '../../parts/index.ts';
import type { FirmwareRecord } from '../../serverservice/index.ts';

/** The images that a server may get; none, and then why not. */
export type ImageChoice = { readonly images: readonly FirmwareRecord[] } | { readonly problem: string };

/**
 * Chooses among images that bring one component to one version, by the vendor's own ids of what they are for and what
 * the inventory last saw. Parts that every server has one of get one image or none: nobody guesses which hardware is
 * meant. The same images in the same order give the same choice.
 */
export function chooseImages(images: readonly FirmwareRecord[], slots: readonly FirmwareSlot[]): ImageChoice {
  const own = slots.filter((slot) => slot.isBackup !== true && images.some((one) => isOfComponent(slot, one)));
  const fitting = images.filter(({ softwareIds }) => own.some((slot) => isForSlot(softwareIds, slot)));
  const isTold = own.length > 0 && own.every((slot) => idsOf(slot).length > 0);
  const possible = withoutUnnamed(
    images.filter((one) => !isTold || one.softwareIds.length === 0 || fitting.includes(one)),
  );
  if (possible.length === 0) return { problem: otherHardware(images, own) };
  if (!images.every((one) => isPartOfServer(componentOf(one)))) return { images: withoutDoubles(possible) };
  const candidates = firstOfEach(fitting.length > 0 ? fitting : possible, idKey);
  return candidates.length === 1 ? { images: candidates } : { problem: unsure(candidates) };
}

function componentOf({ component }: FirmwareRecord): FirmwareComponent {
  return partName(component) as FirmwareComponent;
}

function isOfComponent(slot: FirmwareSlot, image: FirmwareRecord): boolean {
  return slot.component === componentOf(image);
}

/** What several sources offer is one image where its bytes are: the one that tells what it is for stays. */
function withoutUnnamed(images: readonly FirmwareRecord[]): readonly FirmwareRecord[] {
  const named = new Set(images.flatMap(({ softwareIds, checksum }) => (softwareIds.length > 0 ? [checksum] : [])));
  named.delete('');
  return images.filter(({ softwareIds, checksum }) => softwareIds.length > 0 || !named.has(checksum));
}

/** Vendors offer one image in several files, for other ways to install it. Without ids it cannot be told that they are one. */
function withoutDoubles(images: readonly FirmwareRecord[]): readonly FirmwareRecord[] {
  return firstOfEach(images, (one) =>
    one.softwareIds.length === 0 ? one.id : JSON.stringify([idKey(one), one.models.toSorted()]),
  );
}

function firstOfEach(
  images: readonly FirmwareRecord[],
  keyOf: (image: FirmwareRecord) => string,
): readonly FirmwareRecord[] {
  return [...Map.groupBy(images, keyOf).values()].flatMap((group) => group.slice(0, 1));
}

function idKey({ softwareIds }: FirmwareRecord): string {
  return JSON.stringify(softwareIds.map((id) => id.toLowerCase()).sort());
}

function otherHardware(images: readonly FirmwareRecord[], own: readonly FirmwareSlot[]): string {
  const shown = [...new Set(own.flatMap(idsOf))].slice(0, 5).join(', ');
  return `${namesOf(images)} is for other hardware than this server has, which shows ${shown}`;
}

function unsure(images: readonly FirmwareRecord[]): string {
  return `${namesOf(images)} are for different hardware, and the inventory does not tell which one fits: let the server be scanned, or leave only the right one in the catalogue`;
}

function namesOf(images: readonly FirmwareRecord[]): string {
  return images.map(({ filename }) => filename).join(', ');
}
