import { checkImage, type ImageFile } from '../images/check-image.ts';
import type { ImageHeader } from '../images/image-header.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { Machine } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import { updateRulesOf } from './rules.ts';
import type { UpdateFault } from './updates.ts';

/** What a machine finds in a file: what it is, the slots it would write, and what is wrong. */
export interface Examination {
  readonly header?: ImageHeader;
  readonly slots: readonly FirmwareSlot[];
  readonly fault?: UpdateFault;
}

/** Looks at a file with the eyes of one machine. */
export function examineImage(machine: MachineBody, file: ImageFile, targets: readonly string[]): Examination {
  const { maxImageSizeBytes } = machine.personality.update;
  const finding = checkImage(file, {
    vendor: machine.personality.manufacturer,
    model: machine.hardware.model,
    digests: machine.images,
    ...(maxImageSizeBytes === undefined ? {} : { maxImageSizeBytes }),
  });
  if (finding.header === undefined || finding.fault !== undefined) return { ...finding, slots: [] };
  const slots = chooseSlots(machine, finding.header, targets);
  return slots.length > 0
    ? { header: finding.header, slots }
    : { header: finding.header, slots, fault: 'wrong-target' };
}

function chooseSlots(machine: Machine, header: ImageHeader, targets: readonly string[]): readonly FirmwareSlot[] {
  const fitting = machine.firmware.filter(
    (slot) => slot.isUpdateable && slot.softwareId === header.softwareId && slot.component === header.component,
  );
  if (targets.length === 0) return updateRulesOf(machine.personality).chooseSlots?.(machine, fitting) ?? fitting;
  const meant = new Set(targets.flatMap((target) => slotsOfTarget(machine, target) ?? []));
  return fitting.filter((slot) => meant.has(slot));
}

/** The slots a member of `Targets` means; undefined when the machine has no such target. */
export function slotsOfTarget(machine: Machine, target: string): readonly FirmwareSlot[] | undefined {
  const rules = updateRulesOf(machine.personality);
  if (rules.slotsOf !== undefined) return rules.slotsOf(machine, target);
  const path = target.replace(/\/+$/, '');
  const last = decodePart(path.slice(path.lastIndexOf('/') + 1));
  if (/\/Systems\/[^/]+\/bios$/i.test(path)) return machine.firmware.filter((slot) => slot.component === 'bios');
  if (/\/Managers\/[^/]+$/i.test(path)) return machine.firmware.filter((slot) => slot.component === 'bmc');
  const entry = machine.personality.listFirmware(machine).find((each) => each.id === last);
  const name = entry?.slot ?? last;
  // Dell's inventory ids end in the name of the slot.
  const found = machine.firmware.filter(
    (slot) => slot.slot === name || (entry !== undefined && last.endsWith(`__${slot.slot}`)),
  );
  return found.length > 0 ? found : undefined;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded: the vendor's ids are taken as they come.
    return part;
  }
}
