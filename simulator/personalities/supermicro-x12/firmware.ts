import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import { driveLines } from '../parts/part-lines.ts';
import { findLine, installLine, type ReleaseLine, releases } from '../parts/release-line.ts';
import { reportedFirmware } from '../parts/update-facts.ts';
import type { FirmwareEntry } from '../personality.ts';

const board = (name: string, softwareId: string, list: ReleaseLine['releases']): ReleaseLine => ({
  softwareId,
  component: 'other',
  name,
  releases: list,
});

/** Everything Supermicro has released for the simulated models. */
export const supermicroLines: readonly ReleaseLine[] = [
  {
    softwareId: 'BMC_X12AST2600-F401MS',
    component: 'bmc',
    name: 'BMC',
    releases: releases(
      ['01.00.34', '2021-11-19'],
      ['01.01.06', '2022-06-30'],
      ['01.02.24', '2023-02-10'],
      ['01.03.03', '2023-07-14'],
      ['01.04.08', '2024-02-23'],
    ),
  },
  {
    softwareId: 'BIOS_X12DPU-1B3E',
    component: 'bios',
    name: 'BIOS',
    releases: releases(
      ['1.1a', '2021-08-20'],
      ['1.2', '2022-02-14'],
      ['1.4', '2022-07-25'],
      ['1.6', '2023-05-17'],
      ['1.9', '2024-01-09'],
    ),
  },
  {
    softwareId: 'CPLD_X12DPU',
    component: 'cpld',
    name: 'CPLD_Motherboard',
    releases: releases(['F1.00.A4', '2021-03-16'], ['F1.02.B1', '2022-01-24'], ['F1.04.C2', '2023-08-08']),
  },
  {
    ...board('CPLD_Backplane_1', 'CPLD_BPN', releases(['01.0A', '2020-12-01'], ['01.0D', '2022-09-19'])),
    component: 'cpld',
  },
  board(
    'BIOS_ME',
    'ME_X12',
    releases(['4.4.4.58', '2021-08-20'], ['4.4.4.202', '2022-07-25'], ['4.4.4.500', '2023-05-17']),
  ),
  board(
    'Capsule_MCU',
    'MCU_X12',
    releases(['0D000280', '2021-08-20'], ['0D000363', '2022-07-25'], ['0D0003B9', '2023-09-05']),
  ),
  board('MCU_Fan', 'MCU_FAN', releases(['1.06', '2021-01-26'], ['1.09', '2022-11-15'])),
  {
    ...board('CPLD_Riser_1', 'CPLD_RSC', releases(['00.05', '2020-12-01'], ['00.07', '2022-04-26'])),
    component: 'cpld',
  },
  { ...board('TPM', 'TPM_9670', releases(['7.85', '2020-07-14'])), isUpdateable: false },
  {
    softwareId: 'STG_3908',
    component: 'storage-controller',
    name: 'Broadcom1',
    releases: releases(
      ['5.160.02-3552', '2021-06-08'],
      ['5.200.02-3681', '2022-05-10'],
      ['5.220.02-3691', '2023-04-18'],
    ),
  },
  {
    softwareId: 'NIC_UR-i4XT',
    component: 'nic',
    name: 'AOC-UR-i4XT',
    part: 'AOC-UR-i4XT',
    releases: releases(['1.2829.0', '2021-04-20'], ['1.3072.0', '2022-08-02'], ['1.3310.0', '2023-06-13']),
  },
  {
    softwareId: 'NIC_S25GC-i2S',
    component: 'nic',
    name: 'AOC-S25GC-i2S',
    part: 'AOC-S25GC-i2S',
    releases: releases(
      ['2.30.0x800055E6', '2021-05-11'],
      ['3.20.0x8000D83E', '2022-10-04'],
      ['4.40.0x8001C967', '2024-01-30'],
    ),
  },
  ...['PWS-1K23A-1R', 'PWS-1K22A-1R'].map(
    (part): ReleaseLine => ({
      softwareId: part,
      component: 'psu',
      name: part,
      part,
      releases: releases(['1.3', '2019-04-09'], ['1.4', '2021-10-19']),
    }),
  ),
  ...driveLines((drive) => `NVMe_${drive.model.slice(0, 8)}`),
];

/** What a Supermicro server has installed out of the box; places are the inventory's own ids. */
export function supermicroFirmware(hardware: Hardware): FirmwareSlot[] {
  const { model, serial } = hardware;
  const onBoard = supermicroLines.filter((line) => line.part === undefined);
  return [
    ...onBoard.map((line) =>
      installLine(line, {
        slot: line.name,
        serial,
        doesKeepPrevious: line.component === 'bmc' || line.component === 'bios',
      }),
    ),
    ...hardware.nics.map((nic, at) =>
      installLine(findLine(supermicroLines, { model, component: 'nic', part: nic.model }), {
        slot: `NIC${at + 1}`,
        serial,
      }),
    ),
    ...hardware.psus.map((psu) =>
      installLine(findLine(supermicroLines, { model, component: 'psu', part: psu.model }), {
        slot: psu.slot,
        serial,
        name: psu.slot,
      }),
    ),
    ...hardware.drives.map((drive) =>
      installLine(findLine(supermicroLines, { model, component: 'drive', part: drive.model }), {
        slot: drive.slot,
        serial,
      }),
    ),
  ];
}

/** The inventory: BMC, BIOS and CPLD also as backup, golden and staging images, which are no targets. */
export function listSupermicroFirmware(machine: Machine): FirmwareEntry[] {
  return reportedFirmware(machine).flatMap((slot) => {
    const own = entryOf(machine, slot);
    if (slot.component !== 'bmc' && slot.component !== 'bios') return [own];
    return [
      own,
      copyOf(own, 'Backup', slot.previousVersion ?? slot.version),
      copyOf(own, 'Golden', goldenOf(slot)),
      copyOf(own, 'Staging', slot.pendingVersion ?? ''),
    ];
  });
}

/** What came from the factory, for ever. */
function goldenOf(slot: FirmwareSlot): string {
  const line = supermicroLines.find((each) => each.softwareId === slot.softwareId);
  return line?.releases[0].version ?? slot.version;
}

function copyOf(own: FirmwareEntry, prefix: string, version: string): FirmwareEntry {
  const id = `${prefix}_${own.id}`;
  return {
    id,
    name: id,
    version,
    isUpdateable: false,
    relatedItems: own.relatedItems,
    ...(own.body && { body: own.body }),
  };
}

function entryOf(machine: Machine, slot: FirmwareSlot): FirmwareEntry {
  return {
    id: idOf(slot),
    slot: slot.slot,
    name: slot.name,
    version: slot.version,
    isUpdateable: slot.isUpdateable,
    relatedItems: relatedOf(machine, slot),
    body: { '@odata.type': '#SoftwareInventory.v1_3_0.SoftwareInventory', Manufacturer: 'Supermicro' },
  };
}

/** Disks are listed by the number of their controller, not by their bay. */
function idOf(slot: FirmwareSlot): string {
  return slot.component === 'drive' ? `NVMeController${Number(slot.slot.split('.').at(-1)) + 1}` : slot.slot;
}

function relatedOf(machine: Machine, slot: FirmwareSlot): string[] {
  if (slot.component === 'bmc') return ['/redfish/v1/Managers/1'];
  if (slot.component === 'bios') return ['/redfish/v1/Systems/1/Bios'];
  if (slot.component !== 'nic') return [];
  const nic = machine.hardware.nics[Number(slot.slot.slice(3)) - 1];
  return nic === undefined ? [] : [`/redfish/v1/Chassis/1/NetworkAdapters/${nic.slot}`];
}
