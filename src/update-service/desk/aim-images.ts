import type { FirmwareSlot } from '../../bmc/index.ts';
import { showImage } from '../../conditionorc/index.ts';
import {
  areContradictory,
  type Firmware,
  isNamingPart,
  matchSlots,
  type PlannedServer,
  toFirmware,
} from '../../flasher/index.ts';
import type { InstalledPart } from '../../parts/index.ts';
import type { FirmwareRecord } from '../../serverservice/index.ts';
import { chooseImages } from './choose-images.ts';

/** Images, and the slots that each is to be installed on; no slots where the server was never read. */
export interface ChosenImages {
  readonly images: readonly { readonly image: FirmwareRecord; readonly slots: readonly string[] | undefined }[];
}

/** Chooses the images that fit the selected parts, by the same rules by which an install finds its slots. */
export function aimImages(
  usable: readonly FirmwareRecord[],
  { server, selected }: { readonly server: PlannedServer; readonly selected: readonly InstalledPart[] },
): ChosenImages | { readonly problem: string } {
  const names = new Set(selected.map(({ slot }) => slot));
  const chosen = chooseImages(
    usable,
    server.slots.filter(({ slot }) => names.has(slot)),
  );
  if ('problem' in chosen) return chosen;
  if (server.slots.length === 0) return { images: chosen.images.map((image) => ({ image, slots: undefined })) };
  const problems: string[] = [];
  const aimed = chosen.images.flatMap((image): Aimed[] => {
    const firmware = toFirmware(showImage(image, []) as unknown as Parameters<typeof toFirmware>[0]);
    const match = matchSlots(server, firmware);
    if (match.kind !== 'slots') problems.push(match.message);
    const slots = match.kind === 'slots' ? match.slots.filter(({ slot }) => names.has(slot)) : [];
    return slots.length === 0 ? [] : [{ image, firmware, slots }];
  });
  const contested = contestedSlots(aimed);
  const images = aimed.flatMap((one) => {
    const own = one.slots.filter(
      (slot) => !contested.has(slot.slot) && !aimed.some((other) => givesWay(one, other, slot)),
    );
    return own.length === 0 ? [] : [{ image: one.image, slots: own.map(({ slot }) => slot) }];
  });
  if (images.length > 0) return { images };
  if (contested.size > 0) return { problem: unsure(aimed, contested) };
  return { problem: problems[0] ?? `it is for none of ${[...names].join(', ')}` };
}

interface Aimed {
  readonly image: FirmwareRecord;
  readonly firmware: Firmware;
  readonly slots: readonly FirmwareSlot[];
}

/** Slots for which nothing tells which of several images they take: an install with both would be refused as a whole. */
function contestedSlots(aimed: readonly Aimed[]): ReadonlySet<string> {
  const contested = new Set<string>();
  for (const [at, one] of aimed.entries()) {
    for (const other of aimed.slice(at + 1).filter((each) => areContradictory(one, each))) {
      const shared = one.slots.filter((slot) => hasSlot(other, slot));
      for (const slot of shared)
        if (!givesWay(one, other, slot) && !givesWay(other, one, slot)) contested.add(slot.slot);
    }
  }
  return contested;
}

/** An image for models of servers gives way to one that names the product of the part. */
function givesWay(one: Aimed, other: Aimed, slot: FirmwareSlot): boolean {
  if (one === other || !hasSlot(other, slot) || !areContradictory(one, other)) return false;
  return isNamingPart(slot, other.firmware) && !isNamingPart(slot, one.firmware);
}

function hasSlot({ slots }: Aimed, { slot }: FirmwareSlot): boolean {
  return slots.some((each) => each.slot === slot);
}

function unsure(aimed: readonly Aimed[], contested: ReadonlySet<string>): string {
  const files = aimed.map(({ image }) => image.filename).join(', ');
  const slots = [...contested].toSorted().join(', ');
  return `${files} are for different hardware, and the inventory does not tell which one ${slots} takes: leave only the right one in the catalogue`;
}
