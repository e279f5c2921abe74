import type { RunningBmc } from '../data-centre.ts';
import { buildImage, type FirmwareImage } from '../images/build-image.ts';
import { type AvailableFirmware, availableFirmware } from '../personalities/index.ts';

/** Several pieces, and little enough that hashing all there is for a rack is no part of a start that anybody notices. */
const payloadBytes = 256 * 1024;

/** A version that can be had for a server, and where its image is below the admin API. */
export interface OfferedFirmware extends AvailableFirmware {
  /** The slots it fits, with what is in them now. */
  readonly slots: readonly { readonly slot: string; readonly version: string }[];
  readonly image: string;
}

/** What firmware can be had for a server, for parts that it has. */
export function listFirmware({ name, machine }: RunningBmc): readonly OfferedFirmware[] {
  return availableFirmware(machine.personality, machine.hardware.model).flatMap((firmware) => {
    const slots = machine.firmware
      .filter(({ softwareId, component }) => softwareId === firmware.softwareId && component === firmware.component)
      .map(({ slot, version }) => ({ slot, version }));
    const path = [name, firmware.softwareId, firmware.version].map(encodeURIComponent).join('/');
    return slots.length === 0 ? [] : [{ ...firmware, slots, image: `/v1/images/${path}` }];
  });
}

/** The image of a version for a server; undefined when there is none. */
export function findImage(
  bmc: RunningBmc,
  wanted: { readonly softwareId: string; readonly version: string },
): FirmwareImage | undefined {
  const found = listFirmware(bmc).find(
    ({ softwareId, version }) => softwareId === wanted.softwareId && version === wanted.version,
  );
  if (found === undefined) return undefined;
  const { vendor, models, softwareId, component, version } = found;
  return buildImage({ vendor, models, softwareId, component, version, payloadBytes });
}
