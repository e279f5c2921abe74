import type { DrivePart } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { versionOn } from './part-firmware.ts';
import { chassisPath, drivePath, root, storagePath } from './paths.ts';
import { collection, head, healthy, healthyRollup, link, linkList, show, toId } from './render.ts';

const pattern = `${root}/Systems/:system/Storage`;

/** Storage, its controller, drives and volumes. */
export const storageRoutes: readonly Route[] = ownRoutes([
  { pattern, get: ({ machine, path }) => collection({ path, of: 'Storage' }, [storagePath(machine)]) },
  ...ofStorage([
    {
      pattern: `${pattern}/:storage`,
      get: (request) => show(request, 'Storage', renderStorage(request.machine)),
    },
    {
      pattern: `${pattern}/:storage/Controllers`,
      get: ({ path }) => collection({ path, of: 'StorageController' }, [`${path}/0`]),
    },
    { pattern: `${pattern}/:storage/Controllers/:controller`, get: showController },
    { pattern: `${pattern}/:storage/Drives`, get: listDrives },
    { pattern: `${pattern}/:storage/Drives/:drive`, get: showDrive },
    {
      pattern: `${pattern}/:storage/Volumes`,
      get: ({ machine, path }) =>
        collection({ path, of: 'Volume' }, mirrored(machine) === undefined ? [] : [`${path}/1`]),
    },
    { pattern: `${pattern}/:storage/Volumes/:volume`, get: showVolume },
  ]),
  { pattern: `${root}/Chassis/:chassis/Drives`, get: listDrives },
]);

function ofStorage(routes: readonly Required<Pick<Route, 'pattern' | 'get'>>[]): Route[] {
  return routes.map((route) => ({
    ...route,
    get: (request) =>
      request.params.storage === request.machine.personality.ids.storage
        ? route.get(request)
        : refuseMissing(request.path),
  }));
}

function listDrives({ machine, path }: RedfishRequest): RedfishAnswer {
  return collection(
    { path, of: 'Drive' },
    machine.hardware.drives.map((drive) => drivePath(machine, drive.slot)),
  );
}

function protocolsOf(machine: Machine): string[] {
  return [...new Set(machine.hardware.drives.map((drive) => drive.protocol))];
}

function describeController(machine: Machine): JsonObject {
  const slot = machine.firmware.find(({ component }) => component === 'storage-controller');
  return {
    Name: slot?.name ?? 'Storage Controller',
    Manufacturer: machine.personality.manufacturer,
    Model: slot?.name ?? 'Storage Controller',
    FirmwareVersion: slot?.version ?? '',
    SpeedGbps: 12,
    SupportedDeviceProtocols: protocolsOf(machine),
    Status: healthy(),
  };
}

function renderStorage(machine: Machine): JsonObject {
  const path = storagePath(machine);
  const { storage } = machine.personality.ids;
  return {
    ...head({ path, schema: 'Storage.v1_10_1', id: storage, name: 'Storage' }),
    Status: healthyRollup(),
    StorageControllers: [
      {
        '@odata.id': `${path}#/StorageControllers/0`,
        MemberId: '0',
        ...describeController(machine),
        SupportedControllerProtocols: ['PCIe'],
        SupportedRAIDTypes: ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10'],
      },
    ],
    'StorageControllers@odata.count': 1,
    Controllers: link(`${path}/Controllers`),
    ...linkList(
      'Drives',
      machine.hardware.drives.map((drive) => drivePath(machine, drive.slot)),
    ),
    Volumes: link(`${path}/Volumes`),
    Links: linkList('Enclosures', [chassisPath(machine)]),
  };
}

function showController(request: RedfishRequest): RedfishAnswer {
  const { machine, path, params } = request;
  if (params.controller !== '0') return refuseMissing(path);
  const { Name, SupportedDeviceProtocols, ...rest } = describeController(machine);
  return show(request, 'StorageController', {
    ...head({ path, schema: 'StorageController.v1_2_0', id: '0', name: String(Name) }),
    ...rest,
    SupportedDeviceProtocols,
    SupportedControllerProtocols: ['PCIe'],
  });
}

function showDrive(request: RedfishRequest): RedfishAnswer {
  const drive = request.machine.hardware.drives.find(({ slot }) => toId(slot) === request.params.drive);
  return drive === undefined
    ? refuseMissing(request.path)
    : show(request, 'Drive', renderDrive(request.machine, drive));
}

function renderDrive(machine: Machine, drive: DrivePart): JsonObject {
  const isFlash = drive.mediaType === 'SSD';
  const volume = mirrored(machine)?.includes(drive) ? [`${storagePath(machine)}/Volumes/1`] : [];
  return {
    ...head({
      path: drivePath(machine, drive.slot),
      schema: 'Drive.v1_11_0',
      id: toId(drive.slot),
      name: drive.slot,
    }),
    Manufacturer: drive.manufacturer,
    Model: drive.model,
    SerialNumber: drive.serial,
    Revision: versionOn(machine, {
      component: 'drive',
      slot: drive.slot,
      index: machine.hardware.drives.indexOf(drive),
    }),
    CapacityBytes: drive.capacityBytes,
    BlockSizeBytes: 512,
    MediaType: drive.mediaType,
    Protocol: drive.protocol,
    CapableSpeedGbs: drive.protocol === 'NVMe' ? 32 : 12,
    ...(isFlash ? { PredictedMediaLifeLeftPercent: 100 } : { RotationSpeedRPM: 7200 }),
    FailurePredicted: false,
    StatusIndicator: 'OK',
    Identifiers: [],
    PhysicalLocation: { PartLocation: { ServiceLabel: drive.slot, LocationType: 'Bay' } },
    Status: healthy(),
    Links: { Chassis: link(chassisPath(machine)), ...linkList('Volumes', volume) },
  };
}

/** The two drives of the RAID 1 that a server comes with, if it has two behind a controller that can do it. */
function mirrored(machine: Machine): readonly DrivePart[] | undefined {
  const [first, second] = machine.hardware.drives.filter((drive) => drive.protocol !== 'NVMe');
  return first === undefined || second === undefined ? undefined : [first, second];
}

function showVolume(request: RedfishRequest): RedfishAnswer {
  const { machine, path, params } = request;
  const drives = mirrored(machine);
  if (drives === undefined || params.volume !== '1') return refuseMissing(path);
  return show(request, 'Volume', {
    ...head({ path, schema: 'Volume.v1_5_0', id: '1', name: 'Virtual Disk 0' }),
    RAIDType: 'RAID1',
    VolumeType: 'Mirrored',
    CapacityBytes: Math.min(...drives.map((drive) => drive.capacityBytes)),
    BlockSizeBytes: 512,
    Encrypted: false,
    Identifiers: [],
    Status: healthy(),
    Links: linkList(
      'Drives',
      drives.map((drive) => drivePath(machine, drive.slot)),
    ),
  });
}
