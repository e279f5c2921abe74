import { showImage } from '../../conditionorc/index.ts';
import { matchSlots, type PlannedServer, toFirmware } from '../../flasher/index.ts';
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
  const images = chosen.images.flatMap((image) => {
    const match = matchSlots(server, toFirmware(showImage(image, []) as unknown as Parameters<typeof toFirmware>[0]));
    if (match.kind !== 'slots') problems.push(match.message);
    const slots = match.kind === 'slots' ? match.slots.map(({ slot }) => slot).filter((slot) => names.has(slot)) : [];
    return slots.length === 0 ? [] : [{ image, slots }];
  });
  if (images.length > 0) return { images };
  return { problem: problems[0] ?? `it is for none of ${[...names].join(', ')}` };
}
