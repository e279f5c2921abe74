import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Update } from '../../machine/updates.ts';
import type { JsonObject } from '../../redfish/route.ts';
import { driveChoices, driveLines } from '../parts/part-lines.ts';
import { findLine, installLine, type ReleaseLine, releaseDates, releases } from '../parts/release-line.ts';
import { reportedFirmware } from '../parts/update-facts.ts';
import type { FirmwareEntry } from '../personality.ts';

const r640 = ['PowerEdge R640'];
const r750 = ['PowerEdge R750'];

const driveIds: Readonly<Record<string, string>> = {
  [driveChoices.samsungPm9a3.model]: '112085',
  [driveChoices.kioxiaCd6.model]: '109787',
  [driveChoices.micron5300.model]: '108895',
  [driveChoices.seagateExos.model]: '106271',
};

/** Everything Dell has released for the simulated models. */
export const dellLines: readonly ReleaseLine[] = [
  {
    softwareId: '25227',
    component: 'bmc',
    name: 'Integrated Dell Remote Access Controller',
    releases: releases(
      ['6.10.30.00', '2022-12-14'],
      ['6.10.80.00', '2023-07-19'],
      ['7.00.30.00', '2023-09-27'],
      ['7.10.30.00', '2024-02-21'],
      ['7.10.50.00', '2024-06-12'],
    ),
  },
  {
    softwareId: '159',
    component: 'bios',
    name: 'BIOS',
    models: r640,
    releases: releases(
      ['2.17.1', '2022-11-18'],
      ['2.18.1', '2023-02-14'],
      ['2.19.1', '2023-06-22'],
      ['2.21.2', '2024-03-05'],
    ),
  },
  {
    softwareId: '159',
    component: 'bios',
    name: 'BIOS',
    models: r750,
    releases: releases(
      ['1.9.2', '2022-11-17'],
      ['1.10.2', '2023-03-29'],
      ['1.11.2', '2023-08-30'],
      ['1.12.1', '2023-10-11'],
      ['1.13.2', '2024-01-31'],
    ),
  },
  {
    softwareId: '27763',
    component: 'cpld',
    name: 'System CPLD',
    releases: releases(['1.0.6', '2021-03-24'], ['1.1.1', '2022-08-16'], ['1.1.4', '2023-10-02']),
  },
  {
    softwareId: '110284',
    component: 'storage-controller',
    name: 'PERC H755 Front',
    models: r750,
    releases: releases(['52.16.1-4405', '2022-04-27'], ['52.21.0-4606', '2022-12-15'], ['52.26.0-5179', '2023-12-13']),
  },
  {
    softwareId: '104298',
    component: 'storage-controller',
    name: 'PERC H740P Mini',
    models: r640,
    releases: releases(['51.14.0-3900', '2021-06-23'], ['51.16.0-4076', '2022-04-13'], ['51.16.0-5150', '2023-09-14']),
  },
  {
    softwareId: '105199',
    component: 'storage-controller',
    name: 'BOSS-S1',
    releases: releases(['2.5.13.3022', '2020-01-22'], ['2.5.13.3024', '2021-03-11'], ['2.5.13.4008', '2023-02-08']),
  },
  {
    softwareId: '108255',
    component: 'nic',
    name: 'Broadcom Gigabit Ethernet BCM5720',
    part: 'Broadcom NetXtreme Gigabit Ethernet (BCM5720)',
    releases: releases(['22.00.6', '2022-06-10'], ['22.31.6', '2023-03-15'], ['22.71.3', '2023-12-06']),
  },
  {
    softwareId: '110217',
    component: 'nic',
    name: 'Broadcom Adv. Dual 25Gb Ethernet',
    part: 'Broadcom Adv. Dual 25Gb Ethernet',
    releases: releases(['22.21.07.80', '2022-09-21'], ['22.31.13.70', '2023-05-17'], ['22.71.11.13', '2023-12-20']),
  },
  {
    softwareId: '107545',
    component: 'nic',
    name: 'Mellanox ConnectX-5',
    part: 'Mellanox ConnectX-5 EN 25GbE Dual-port SFP28 Adapter',
    releases: releases(['16.31.20.06', '2021-12-15'], ['16.35.20.12', '2023-04-12'], ['16.35.30.06', '2024-01-17']),
  },
  {
    softwareId: '110222',
    component: 'nic',
    name: 'Nvidia ConnectX-6 Lx',
    part: 'Nvidia ConnectX-6 Lx 2x 25G SFP28',
    releases: releases(['26.34.10.02', '2022-10-19'], ['26.36.10.10', '2023-05-03'], ['26.39.10.02', '2024-01-10']),
  },
  ...psuLine('PWR SPLY,750WP,RDNT,DELTA', '109122', ['00.1B.53', '00.1D.9C']),
  ...psuLine('PWR SPLY,750WP,RDNT,LTON', '107127', ['00.23.32', '00.24.7D']),
  ...psuLine('PWR SPLY,1400W,RDNT,ARTESYN', '110263', ['00.1D.7C', '00.21.36']),
  ...psuLine('PWR SPLY,1400W,RDNT,DELTA', '110264', ['00.14.4F', '00.17.28']),
  {
    softwareId: '101734',
    component: 'other',
    name: 'Backplane 1',
    releases: releases(['4.35', '2019-10-09'], ['7.10', '2022-05-11'], ['7.11', '2023-06-14']),
  },
  ...fixedLine('28897', 'Lifecycle Controller', '7.00.30.00'),
  ...fixedLine('25806', 'Diagnostics', '4301A73'),
  ...fixedLine('18981', 'OS Drivers Pack', '23.06.05'),
  ...fixedLine('106027', 'TPM', '7.2.2.0'),
  ...fixedLine('104684', 'iDRAC Service Module Installer', '5.1.0.0'),
  ...driveLines((drive) => driveIds[drive.model] ?? '0'),
];

const releaseDateOf = releaseDates(dellLines);

function psuLine(part: string, softwareId: string, versions: readonly [string, string]): ReleaseLine[] {
  const [old, recent] = versions;
  return [
    {
      softwareId,
      component: 'psu',
      name: 'Power Supply',
      part,
      releases: releases([old, '2020-11-18'], [recent, '2022-07-20']),
    },
  ];
}

function fixedLine(softwareId: string, name: string, version: string): ReleaseLine[] {
  return [
    { softwareId, component: 'other', name, isUpdateable: name !== 'TPM', releases: releases([version, '2023-06-14']) },
  ];
}

/** What a PowerEdge has installed out of the box, by FQDD. */
export function dellFirmware(hardware: Hardware): FirmwareSlot[] {
  const { model, serial } = hardware;
  const of = (component: ReleaseLine['component'], slot: string, name?: string): FirmwareSlot =>
    installLine(findLine(dellLines, { model, component, ...(name === undefined ? {} : { name }) }), {
      slot,
      serial,
      doesKeepPrevious: component === 'bmc' || component === 'bios' || component === 'storage-controller',
    });
  return [
    of('bmc', 'iDRAC.Embedded.1-1'),
    of('bios', 'BIOS.Setup.1-1'),
    of('cpld', 'CPLD.Embedded.1'),
    of('storage-controller', 'RAID.Integrated.1-1', model === 'PowerEdge R640' ? 'PERC H740P Mini' : 'PERC H755 Front'),
    of('storage-controller', 'AHCI.Slot.1-1', 'BOSS-S1'),
    of('other', 'USC.Embedded.1:LC.Embedded.1', 'Lifecycle Controller'),
    of('other', 'Diagnostics.Embedded.1:LC.Embedded.1', 'Diagnostics'),
    of('other', 'DriverPack.Embedded.1:LC.Embedded.1', 'OS Drivers Pack'),
    of('other', 'ServiceModule.Embedded.1', 'iDRAC Service Module Installer'),
    of('other', 'TPM.Integrated.1-1', 'TPM'),
    of('other', 'Enclosure.Internal.0-1:RAID.Integrated.1-1', 'Backplane 1'),
    ...nicSlots(hardware),
    ...hardware.psus.map((psu) =>
      installLine(findLine(dellLines, { model, component: 'psu', part: psu.model }), {
        slot: psu.slot,
        serial,
        name: `Power Supply.${psu.slot.slice(4)}`,
      }),
    ),
    ...hardware.drives.map((drive, bay) =>
      installLine(findLine(dellLines, { model, component: 'drive', part: drive.model }), {
        slot: drive.slot,
        serial,
        name:
          drive.protocol === 'NVMe'
            ? `PCIe SSD in Slot ${bay} in Bay 1`
            : `Disk ${bay} in Backplane 1 of RAID Controller in Slot 1`,
      }),
    ),
  ];
}

/** A slot a port: iDRAC lists every port of an adapter, with its MAC address in the name. */
function nicSlots(hardware: Hardware): FirmwareSlot[] {
  return hardware.nics.flatMap((nic) => {
    const line = findLine(dellLines, { model: hardware.model, component: 'nic', part: nic.model });
    return nic.ports.map((port) =>
      installLine(line, { slot: port.id, serial: hardware.serial, name: `${line.name} - ${port.mac}` }),
    );
  });
}

/** The inventory as iDRAC lists it: Installed and Current for each, and Previous where there is one to roll back to. */
export function listDellFirmware(machine: Machine): FirmwareEntry[] {
  return [
    ...reportedFirmware(machine).flatMap(entriesOf),
    ...availablePackages(machine).map((update) =>
      entryOf(
        'Available',
        availableSlot(update.header?.softwareId ?? '0', update.slots[0]),
        update.header?.version ?? '',
      ),
    ),
  ];
}

/** Packages that were pushed and wait to be installed. */
export function availablePackages(machine: Machine): Update[] {
  return machine.updates.all.filter(
    ({ via, phase, header }) =>
      via === 'push' && header !== undefined && (phase === 'verifying' || phase === 'uploaded'),
  );
}

function availableSlot(softwareId: string, slot: FirmwareSlot | undefined): FirmwareSlot {
  return (
    slot ?? { slot: '', component: 'other', name: 'Firmware package', isUpdateable: true, softwareId, version: '' }
  );
}

function entriesOf(slot: FirmwareSlot): FirmwareEntry[] {
  const entries = [entryOf('Installed', slot, slot.version), entryOf('Current', slot, slot.version)];
  if (slot.previousVersion !== undefined) entries.push(entryOf('Previous', slot, slot.previousVersion));
  return entries;
}

/** iDRAC does not know the id of firmware that it did not install itself: disks say 0 until Dell's package is applied. */
function shownSoftwareId(slot: FirmwareSlot): string {
  return slot.component === 'drive' && slot.previousVersion === undefined ? '0' : slot.softwareId;
}

/** Id of an entry; packages that wait to be installed have no place yet. */
export function dellEntryId(state: string, slot: FirmwareSlot, version: string): string {
  const id = `${state}-${state === 'Available' ? slot.softwareId : shownSoftwareId(slot)}-${version}`;
  return state === 'Available' ? id : `${id}__${slot.slot}`;
}

function entryOf(
  state: 'Installed' | 'Current' | 'Previous' | 'Available',
  slot: FirmwareSlot,
  version: string,
): FirmwareEntry {
  const softwareId = state === 'Available' ? slot.softwareId : shownSoftwareId(slot);
  const date = softwareId === '0' ? undefined : releaseDateOf({ softwareId, version });
  return {
    id: dellEntryId(state, slot, version),
    slot: slot.slot,
    name: slot.name,
    version,
    softwareId,
    isUpdateable: slot.isUpdateable,
    relatedItems: [],
    body: {
      '@odata.type': '#SoftwareInventory.v1_2_1.SoftwareInventory',
      Description: 'Represents Firmware Inventory',
      ReleaseDate: date === undefined ? '00:00:00Z' : `${date}T00:00:00Z`,
      Oem: { Dell: oemOf(state, slot, softwareId) },
    },
  };
}

function oemOf(state: string, slot: FirmwareSlot, softwareId: string): JsonObject {
  return {
    '@odata.type': '#DellOem.v1_3_0.DellOemResources',
    DellSoftwareInventory: {
      '@odata.type': '#DellSoftwareInventory.v1_2_0.DellSoftwareInventory',
      Id: `DCIM:${state.toUpperCase()}_${softwareId}__${slot.slot}`,
      ComponentID: softwareId,
      ComponentType: slot.component === 'bios' ? 'BIOS' : 'FRMW',
      ElementName: slot.name,
      Status: state,
    },
  };
}
