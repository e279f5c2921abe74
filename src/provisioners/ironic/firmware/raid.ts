import type { Raid, RootDeviceHints } from '../../../api/index.ts';
import { rootDeviceOf } from '../deployment/index.ts';
import type { NodeStep } from './steps.ts';

/** RAID as a node is told of it. */
export interface RaidPlan {
  /** Who builds it; undefined leaves the driver's own. */
  readonly raidInterface: 'agent' | undefined;
  readonly logicalDisks: readonly Readonly<Record<string, unknown>>[];
  readonly steps: readonly NodeStep[];
}

const deleteAll: NodeStep = { interface: 'raid', step: 'delete_configuration' };
const eraseMetadata: NodeStep = { interface: 'deploy', step: 'erase_devices_metadata' };
const createAll: NodeStep = { interface: 'raid', step: 'create_configuration' };

/** What builds the wanted volumes, and nothing but them; undefined leaves RAID as it is. */
export function planRaid(raid: Raid | undefined, hints: RootDeviceHints | undefined): RaidPlan | undefined {
  const software = raid?.softwareRAIDVolumes ?? undefined;
  const hardware = raid?.hardwareRAIDVolumes ?? undefined;
  if (software !== undefined && (software.length > 0 || hardware === undefined)) {
    const steps = [deleteAll, eraseMetadata, ...(software.length > 0 ? [createAll] : [])];
    return { raidInterface: 'agent', logicalDisks: softwareDisks(software, hints), steps };
  }
  if (hardware === undefined) return undefined;
  const steps = [deleteAll, ...(hardware.length > 0 ? [createAll] : [])];
  return { raidInterface: undefined, logicalDisks: hardwareDisks(hardware, hints), steps };
}

type HardwareVolume = NonNullable<NonNullable<Raid['hardwareRAIDVolumes']>>[number];
type SoftwareVolume = NonNullable<NonNullable<Raid['softwareRAIDVolumes']>>[number];

function sizeOf(sizeGibibytes: number | undefined): number | 'MAX' {
  return sizeGibibytes === undefined || sizeGibibytes === 0 ? 'MAX' : sizeGibibytes;
}

/** The first volume gets the image, unless a hint names another disk. */
function hardwareDisks(volumes: readonly HardwareVolume[], hints: RootDeviceHints | undefined) {
  return volumes.map((volume, index) => ({
    raid_level: volume.level,
    size_gb: sizeOf(volume.sizeGibibytes),
    ...(volume.name ? { volume_name: volume.name } : {}),
    ...(volume.rotational === undefined ? {} : { disk_type: volume.rotational ? 'hdd' : 'ssd' }),
    ...(volume.numberOfPhysicalDisks === undefined ? {} : { number_of_physical_disks: volume.numberOfPhysicalDisks }),
    ...(volume.controller ? { controller: volume.controller } : {}),
    ...(volume.physicalDisks?.length ? { physical_disks: volume.physicalDisks } : {}),
    ...(index === 0 && hints === undefined ? { is_root_volume: true } : {}),
  }));
}

function softwareDisks(volumes: readonly SoftwareVolume[], hints: RootDeviceHints | undefined) {
  const chosen = volumes.findIndex((volume) => volume.rootVolume === true);
  const root = chosen === -1 ? 0 : chosen;
  return volumes.map((volume, index) => ({
    raid_level: volume.level,
    size_gb: sizeOf(volume.sizeGibibytes),
    controller: 'software',
    ...(volume.physicalDisks?.length ? { physical_disks: volume.physicalDisks.map(rootDeviceOf) } : {}),
    ...(index === root && hints === undefined ? { is_root_volume: true } : {}),
  }));
}
