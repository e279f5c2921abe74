import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import { findLine, installLine, type ReleaseLine } from '../parts/release-line.ts';
import { reportedFirmware } from '../parts/update-facts.ts';
import type { FirmwareEntry } from '../personality.ts';

/** Class of devices by component, as iLO tells them apart. */
const deviceClasses: Readonly<Record<FirmwareSlot['component'], string>> = {
  bmc: '2f317b9d-c9e3-4d76-bff6-b9d0d085a952',
  bios: 'aa148d2e-6e09-453e-bc6f-63baa5f5ccc4',
  cpld: 'b8f46d06-85db-465c-94fb-d106e61378ed',
  nic: '7c5b5c1a-4a4c-4fcb-9a3b-7e1c9b1a6d55',
  drive: 'f6de0320-2e0f-489a-b238-6dd8ae7c3811',
  'storage-controller': '00ff4cd6-cf50-4d4f-b8c3-d7d0b2a3c6b1',
  psu: 'b9b5f5a2-6e5c-4f3a-9b0c-2f6a2a8d1c77',
  gpu: '0d3f6d1e-2c3b-4a54-8c37-5a1a7d2f9e10',
  other: '3a6a2c1b-7f55-4d21-8c8e-6b3a0c9d4e21',
};

/** Descriptions of what is on the board; parts in slots have none of their own. */
const descriptions: Readonly<Record<string, string>> = {
  'System ROM': 'SystemRomActive',
  'Redundant System ROM': 'SystemRomBackup',
  'Intelligent Platform Abstraction Data': 'PlatformDefinitionTable',
  'System Programmable Logic Device': 'CPLD',
  'Power Management Controller Firmware': 'PowerManagementController',
  'Power Management Controller FW Bootloader': 'PowerManagementControllerBootloader',
  'Server Platform Services (SPS) Firmware': 'SPSFirmwareVersionData',
};

/** What a ProLiant has installed out of the box. Places are what iLO calls the device's context, made unique. */
export function hpeFirmware(lines: readonly ReleaseLine[], hardware: Hardware): FirmwareSlot[] {
  const { model, serial } = hardware;
  const board = lines.filter(
    (line) => line.part === undefined && (line.models === undefined || line.models.includes(model)),
  );
  return [
    ...board.map((line) =>
      installLine(line, { slot: `System Board ${line.name}`, serial, doesKeepPrevious: line.component === 'bios' }),
    ),
    ...hardware.nics.map((nic) =>
      installLine(findLine(lines, { model, component: 'nic', part: nic.model }), { slot: nic.slot, serial }),
    ),
    ...hardware.psus.map((psu) =>
      installLine(findLine(lines, { model, component: 'psu', part: psu.model }), { slot: psu.slot, serial }),
    ),
    ...hardware.drives.map((drive) =>
      installLine(findLine(lines, { model, component: 'drive', part: drive.model }), { slot: drive.slot, serial }),
    ),
  ];
}

/** The inventory by numbers, as iLO gives them out: only names tell what an entry is. */
export function listHpeFirmware(machine: Machine): FirmwareEntry[] {
  const slots = reportedFirmware(machine);
  const rom = slots.find((slot) => slot.component === 'bios');
  return slots.map((slot, at) => entryOf(slot, { id: String(at + 1), backupOf: rom }));
}

function entryOf(
  slot: FirmwareSlot,
  order: { readonly id: string; readonly backupOf: FirmwareSlot | undefined },
): FirmwareEntry {
  // The redundant ROM holds what ran before the last update.
  const isBackup = slot.name === 'Redundant System ROM';
  const version = isBackup ? (order.backupOf?.previousVersion ?? slot.version) : slot.version;
  return {
    id: order.id,
    slot: slot.slot,
    name: slot.name,
    version,
    isUpdateable: slot.isUpdateable,
    relatedItems: [],
    body: {
      '@odata.type': '#SoftwareInventory.v1_2_0.SoftwareInventory',
      Description: descriptions[slot.name] ?? slot.name.replaceAll(/[^A-Za-z0-9]/g, ''),
      Oem: {
        Hpe: {
          '@odata.type': '#HpeiLOSoftwareInventory.v2_0_0.HpeiLOSoftwareInventory',
          DeviceClass: deviceClasses[slot.component],
          DeviceContext: slot.slot.startsWith('System Board') ? 'System Board' : slot.slot,
          Targets: [slot.softwareId],
        },
      },
    },
  };
}
