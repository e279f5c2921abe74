import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import { driveChoices, driveLines } from '../parts/part-lines.ts';
import { findLine, installLine, type ReleaseLine, releases } from '../parts/release-line.ts';
import { reportedFirmware } from '../parts/update-facts.ts';
import type { FirmwareEntry } from '../personality.ts';

const older = ['ThinkSystem SR630', 'ThinkSystem SR650'];
const newer = ['ThinkSystem SR670'];

const driveIds: Readonly<Record<string, string>> = {
  [driveChoices.samsungPm9a3.model]: 'DRV-PM9A3',
  [driveChoices.kioxiaCd6.model]: 'DRV-CD6',
  [driveChoices.micron5300.model]: 'DRV-5300',
  [driveChoices.seagateExos.model]: 'DRV-EXOS',
};

const board = (name: string, softwareId: string, list: ReleaseLine['releases']): ReleaseLine => ({
  softwareId,
  component: 'other',
  name,
  releases: list,
});

/** Everything Lenovo has released for the simulated models. */
export const lenovoLines: readonly ReleaseLine[] = [
  {
    softwareId: 'BMC-CDI3-10',
    component: 'bmc',
    name: 'BMC-Primary',
    models: older,
    releases: releases(
      ['CDI386N-7.90', '2022-05-17'],
      ['CDI3A2O-8.40', '2022-12-15'],
      ['CDI3A8N-9.30', '2023-07-13'],
      ['CDI3B0M-9.70', '2024-01-12'],
    ),
  },
  {
    softwareId: 'BMC-TGBT-10',
    component: 'bmc',
    name: 'BMC-Primary',
    models: newer,
    releases: releases(
      ['TGBT34D-2.60', '2022-08-04'],
      ['TGBT38J-3.10', '2023-02-22'],
      ['TGBT44E-4.20', '2023-09-21'],
      ['TGBT48F-4.80', '2024-03-11'],
    ),
  },
  {
    softwareId: 'UEFI-IVE1-6',
    component: 'bios',
    name: 'UEFI',
    models: older,
    releases: releases(
      ['IVE180J-3.50', '2022-07-05'],
      ['IVE186G-3.70', '2023-01-10'],
      ['IVE190H-4.00', '2023-08-02'],
      ['IVE194D-4.10', '2024-01-23'],
    ),
  },
  {
    softwareId: 'UEFI-U8E1-6',
    component: 'bios',
    name: 'UEFI',
    models: newer,
    releases: releases(
      ['U8E120B-1.40', '2022-09-01'],
      ['U8E124D-1.51', '2023-03-15'],
      ['U8E128F-1.60', '2023-10-09'],
      ['U8E132C-1.80', '2024-04-02'],
    ),
  },
  board('LXPM', 'LXPM-PDL1-4', releases(['PDL144I-2.12', '2022-06-20'], ['PDL146H-2.14', '2023-02-14'])),
  board('LXPMWindowsDriver', 'LXPMW-PDL2-4', releases(['PDL244I-2.12', '2022-06-20'], ['PDL246H-2.14', '2023-02-14'])),
  board('LXPMLinuxDriver', 'LXPML-PDL3-4', releases(['PDL344I-2.12', '2022-06-20'], ['PDL346H-2.14', '2023-02-14'])),
  {
    softwareId: 'FPGA-CPLD-1',
    component: 'cpld',
    name: 'CPLD-Primary',
    releases: releases(['16.0', '2021-03-30'], ['18.0', '2022-11-08'], ['20.0', '2023-12-05']),
  },
  {
    softwareId: 'RAID-9350-8I',
    component: 'storage-controller',
    name: 'RAID 940-8i 4GB Flash PCIe Gen4 12Gb Adapter',
    releases: releases(['52.15.0-4147', '2021-12-14'], ['52.22.0-4544', '2022-10-25'], ['52.26.0-5014', '2023-11-21']),
  },
  board('Backplane2', 'BP-M2-2', releases(['1.02', '2021-02-16'], ['1.04', '2022-12-06'])),
  board('Riser1', 'RISER-X16', releases(['3.1', '2020-10-13'], ['3.4', '2022-05-24'])),
  board('Backplane1', 'BP-U2-8', releases(['1.07', '2021-02-16'], ['1.12', '2022-12-06'], ['1.15', '2023-10-17'])),
  { ...board('TPM', 'TPM-NTC-75', releases(['7.2.2.0', '2020-05-19'])), isUpdateable: false },
  {
    softwareId: 'NIC-X722',
    component: 'nic',
    name: 'Intel X722 LOM',
    part: 'Intel X722 LOM',
    releases: releases(
      ['4.10 0x80001D9E', '2021-04-13'],
      ['5.15 0x80002906', '2022-03-22'],
      ['6.00 0x80003E4D', '2023-06-27'],
    ),
  },
  {
    softwareId: 'NIC-CX4LX',
    component: 'nic',
    name: 'Mellanox ConnectX-4 Lx',
    part: 'Mellanox ConnectX-4 Lx 10/25GbE SFP28 2-port PCIe Ethernet Adapter',
    releases: releases(['14.31.1200', '2021-09-28'], ['14.32.1010', '2022-07-12'], ['14.32.1900', '2024-02-06']),
  },
  ...['SP57A02023', 'SP57A02025', 'SP57A14693'].map(
    (part): ReleaseLine => ({
      softwareId: `PSU-${part}`,
      component: 'psu',
      name: 'PSU',
      part,
      releases: releases(['7.53', '2019-09-10'], ['8.54', '2022-04-19']),
    }),
  ),
  ...driveLines((drive) => driveIds[drive.model] ?? 'DRV'),
];

/** What a ThinkSystem has installed out of the box; places are the inventory's own ids. */
export function lenovoFirmware(hardware: Hardware): FirmwareSlot[] {
  const { model, serial } = hardware;
  const board = lenovoLines.filter(
    (line) => line.part === undefined && (line.models === undefined || line.models.includes(model)),
  );
  return [
    ...board.map((line) =>
      installLine(line, {
        slot: line.component === 'storage-controller' ? 'Slot_7.Bundle' : line.name,
        serial,
        doesKeepPrevious: line.component === 'bmc',
      }),
    ),
    ...hardware.nics.map((nic) =>
      installLine(findLine(lenovoLines, { model, component: 'nic', part: nic.model }), {
        slot: nic.slot.startsWith('ob-') ? `Ob_${nic.slot.slice(3)}.Bundle` : `Slot_${nic.slot.slice(5)}.Bundle`,
        serial,
      }),
    ),
    ...hardware.psus.map((psu) =>
      installLine(findLine(lenovoLines, { model, component: 'psu', part: psu.model }), {
        slot: psu.slot,
        serial,
        name: psu.slot,
      }),
    ),
    ...hardware.drives.map((drive) =>
      installLine(findLine(lenovoLines, { model, component: 'drive', part: drive.model }), {
        slot: drive.slot,
        serial,
      }),
    ),
  ];
}

/** The inventory as XCC lists it. Staged firmware has a twin whose id ends in -Pending; BMC and UEFI always have one. */
export function listLenovoFirmware(machine: Machine): FirmwareEntry[] {
  return reportedFirmware(machine).flatMap((slot) => {
    const entries = [entryOf(machine, slot)];
    const hasTwin = slot.pendingVersion !== undefined || slot.component === 'bmc' || slot.component === 'bios';
    if (hasTwin) entries.push(pendingOf(machine, slot));
    if (slot.component === 'bmc') entries.push(backupOf(machine, slot));
    return entries;
  });
}

function entryOf(machine: Machine, slot: FirmwareSlot): FirmwareEntry {
  return {
    id: slot.slot,
    slot: slot.slot,
    name: slot.component === 'bmc' ? 'Firmware:BMC' : `Firmware:${slot.name}`,
    version: slot.version,
    softwareId: slot.softwareId,
    isUpdateable: slot.isUpdateable,
    relatedItems: relatedOf(machine, slot),
    body: {
      '@odata.type': '#SoftwareInventory.v1_3_0.SoftwareInventory',
      Description: `The information of ${slot.name} firmware.`,
      Manufacturer: 'Lenovo',
      Status: { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' },
    },
  };
}

/** An empty version where nothing waits. */
function pendingOf(machine: Machine, slot: FirmwareSlot): FirmwareEntry {
  const own = entryOf(machine, slot);
  const isWaiting = slot.pendingVersion !== undefined;
  return {
    ...own,
    id: `${slot.slot}-Pending`,
    name: `${own.name}-Pending`,
    version: slot.pendingVersion ?? '',
    isUpdateable: false,
    body: {
      ...own.body,
      Version: slot.pendingVersion ?? null,
      Status: { State: isWaiting ? 'StandbyOffline' : 'Disabled', Health: 'OK' },
    },
  };
}

function backupOf(machine: Machine, slot: FirmwareSlot): FirmwareEntry {
  const own = entryOf(machine, slot);
  return {
    ...own,
    id: 'BMC-Backup',
    name: 'Firmware:BMC-Backup',
    version: slot.previousVersion ?? slot.version,
    body: { ...own.body, Status: { State: 'StandbySpare', Health: 'OK' } },
  };
}

function relatedOf(machine: Machine, slot: FirmwareSlot): string[] {
  if (slot.component === 'bmc') return ['/redfish/v1/Managers/1'];
  if (slot.component === 'bios') return ['/redfish/v1/Systems/1/Bios'];
  if (slot.component !== 'nic') return [];
  const place = slot.slot.replace('.Bundle', '').toLowerCase().replace('_', '-');
  return machine.hardware.nics
    .filter((nic) => nic.slot === place)
    .map((nic) => `/redfish/v1/Chassis/1/NetworkAdapters/${nic.slot}`);
}
