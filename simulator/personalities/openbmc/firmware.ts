import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import { hashOf } from '../parts/fleet-numbers.ts';
import { driveLines } from '../parts/part-lines.ts';
import { findLine, installLine, type ReleaseLine, releases } from '../parts/release-line.ts';
import { reportedFirmware } from '../parts/update-facts.ts';
import type { FirmwareEntry } from '../personality.ts';

const part = (component: ReleaseLine['component'], name: string, list: ReleaseLine['releases']): ReleaseLine => ({
  softwareId: `xyz.openbmc_project.${name.toLowerCase().replaceAll(' ', '_')}`,
  component,
  name,
  releases: list,
});

/** Everything that was built for the simulated boards. */
export const openbmcLines: readonly ReleaseLine[] = [
  {
    softwareId: 'xyz.openbmc_project.mtjade.bmc',
    component: 'bmc',
    name: 'BMC image',
    models: ['Mt. Jade'],
    releases: releases(
      ['2.9.0-dev-1204-g1b2c3d4e5f', '2022-06-21'],
      ['2.12.0-dev-318-ga17cc2f5d0', '2022-12-15'],
      ['2.13.0-rc1-77-g90e1d8ab34', '2023-05-30'],
      ['2.14.0-42-gd8a1f90c7b', '2023-11-27'],
    ),
  },
  {
    softwareId: 'xyz.openbmc_project.tiogapass.bmc',
    component: 'bmc',
    name: 'BMC image',
    models: ['Tioga Pass'],
    releases: releases(
      ['2.9.0-dev-880-g77aa10bb2c', '2022-05-10'],
      ['2.12.0-dev-101-g5e44f0d9aa', '2022-11-08'],
      ['2.14.0-9-g3cd2ab8f1e', '2023-10-16'],
    ),
  },
  {
    softwareId: 'xyz.openbmc_project.mtjade.bios',
    component: 'bios',
    name: 'Host image',
    models: ['Mt. Jade'],
    releases: releases(
      ['1.08.20210825', '2021-08-25'],
      ['2.06.20220308', '2022-03-08'],
      ['2.10.20220912', '2022-09-12'],
      ['2.10.20230517', '2023-05-17'],
    ),
  },
  {
    softwareId: 'xyz.openbmc_project.tiogapass.bios',
    component: 'bios',
    name: 'Host image',
    models: ['Tioga Pass'],
    releases: releases(['TPM17', '2021-04-14'], ['TPM18', '2022-02-22'], ['TPM20', '2023-03-07']),
  },
  part('cpld', 'MB CPLD', releases(['0x11', '2021-02-02'], ['0x14', '2022-01-18'], ['0x18', '2023-04-11'])),
  part('cpld', 'BMC CPLD', releases(['0x07', '2021-02-02'], ['0x09', '2022-01-18'])),
  part('cpld', 'Backplane CPLD', releases(['0x03', '2021-03-09'], ['0x05', '2022-06-07'])),
  part(
    'other',
    'SMpro',
    releases(['2.08.20220719', '2022-07-19'], ['2.10.20220808', '2022-08-08'], ['2.10.20230120', '2023-01-20']),
  ),
  part('other', 'VR CPU0', releases(['A5.01', '2021-05-18'], ['A5.04', '2022-08-30'])),
  part('other', 'VR CPU1', releases(['A5.01', '2021-05-18'], ['A5.04', '2022-08-30'])),
  part('other', 'Retimer 0', releases(['1.24.2', '2021-08-10'], ['1.30.1', '2022-12-06'])),
  part('other', 'Retimer 1', releases(['1.24.2', '2021-08-10'], ['1.30.1', '2022-12-06'])),
  part('other', 'Fan controller', releases(['1.02', '2021-01-12'], ['1.05', '2022-10-11'])),
  part('other', 'PCIe switch', releases(['4.70 B093', '2021-09-14'], ['4.90 B108', '2023-02-28'])),
  part(
    'storage-controller',
    'Boot storage bridge',
    releases(['2.5.13.3024', '2021-03-11'], ['2.5.13.4008', '2023-02-08']),
  ),
  ...[
    ['ConnectX-6 Dx OCP3.0', ['22.31.2006', '22.35.1012', '22.39.1002']] as const,
    ['ConnectX-4 Lx OCP2.0', ['14.31.2006', '14.32.1010', '14.32.1900']] as const,
  ].map(
    ([model, [first, second, third]]): ReleaseLine => ({
      ...part('nic', model, releases([first, '2021-09-28'], [second, '2022-08-16'], [third, '2023-11-14'])),
      part: model,
    }),
  ),
  ...['WWN-2000W-A', 'WWN-1100W-B'].map(
    (model): ReleaseLine => ({
      ...part('psu', model, releases(['1.06', '2020-10-06'], ['1.09', '2022-03-29'])),
      part: model,
    }),
  ),
  ...driveLines((drive) => `xyz.openbmc_project.nvme.${drive.model.split(' ').at(-1)?.toLowerCase() ?? ''}`),
];

/** What a board has installed out of the box. */
export function openbmcFirmware(hardware: Hardware): FirmwareSlot[] {
  const { model, serial } = hardware;
  const onBoard = openbmcLines.filter(
    (line) => line.part === undefined && (line.models === undefined || line.models.includes(model)),
  );
  const inPlaces = (component: ReleaseLine['component'], places: readonly { slot: string; model: string }[]) =>
    places.map((place) =>
      installLine(findLine(openbmcLines, { model, component, part: place.model }), { slot: place.slot, serial }),
    );
  return [
    ...onBoard.map((line) => installLine(line, { slot: line.name.toLowerCase().replaceAll(' ', '_'), serial })),
    ...inPlaces('nic', hardware.nics),
    ...inPlaces('psu', hardware.psus),
    ...inPlaces('drive', hardware.drives),
  ];
}

/** The id of an image: eight digits of a digest over what it is and its version, so a new version is a new entry. */
export function openbmcImageId(slot: Pick<FirmwareSlot, 'slot'>, version: string): string {
  return hashOf(`${slot.slot} ${version}`).toString(16).padStart(8, '0');
}

/** The inventory by digests: only the related item says what an image is for. */
export function listOpenbmcFirmware(machine: Machine): FirmwareEntry[] {
  return reportedFirmware(machine).flatMap((slot) => {
    const active = entryOf(machine, slot, slot.version);
    if (slot.pendingVersion === undefined || slot.pendingVersion === slot.version) return [active];
    const waiting = entryOf(machine, slot, slot.pendingVersion);
    return [active, { ...waiting, body: { ...waiting.body, Status: { State: 'StandbySpare', Health: 'OK' } } }];
  });
}

function entryOf(machine: Machine, slot: FirmwareSlot, version: string): FirmwareEntry {
  return {
    id: openbmcImageId(slot, version),
    slot: slot.slot,
    name: 'Software Inventory',
    version,
    isUpdateable: slot.isUpdateable,
    relatedItems: relatedOf(machine, slot),
    body: { '@odata.type': '#SoftwareInventory.v1_1_0.SoftwareInventory', Description: slot.name },
  };
}

function relatedOf(machine: Machine, slot: FirmwareSlot): string[] {
  if (slot.component === 'bmc') return ['/redfish/v1/Managers/bmc'];
  if (slot.component === 'bios') return ['/redfish/v1/Systems/system/Bios'];
  const chassis = `/redfish/v1/Chassis/${machine.personality.ids.chassis}`;
  if (slot.component === 'nic') return [`${chassis}/NetworkAdapters/${slot.slot}`];
  if (slot.component === 'drive') return [`/redfish/v1/Systems/system/Storage/1/Drives/${slot.slot}`];
  return [chassis];
}
