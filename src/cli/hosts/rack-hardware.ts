import type { Hardware, Machine } from '../../../simulator/index.ts';
import type { HardwareDetails, Nic, Storage } from '../../api/index.ts';

/** What a simulated server consists of, in the words of a BareMetalHost. */
export function rackHardware(machine: Machine): HardwareDetails {
  const { hardware, personality } = machine;
  const { manufacturer } = personality;
  const bios = machine.firmware.find(({ component }) => component === 'bios');
  return {
    systemVendor: { manufacturer, productName: hardware.model, serialNumber: hardware.serial },
    firmware: { bios: { vendor: manufacturer, version: bios?.version ?? '' } },
    ramMebibytes: hardware.dimms.reduce((sum, { capacityMib }) => sum + capacityMib, 0),
    nics: nicsOf(machine),
    storage: hardware.drives.map(storageOf),
    cpu: cpuOf(hardware),
    hostname: machine.name,
  };
}

/** It boots from its first port. */
function nicsOf(machine: Machine): Nic[] {
  const ports = machine.hardware.nics.flatMap(({ model, ports }) => ports.map((port) => ({ ...port, model })));
  return ports.map(({ mac, model, speedMbps }, index) => {
    const heard = machine.neighbour(mac);
    return {
      name: `eno${index + 1}`,
      model,
      mac: mac.toLowerCase(),
      speedGbps: heard === undefined ? 0 : Math.floor(speedMbps / 1000),
      pxe: index === 0,
      ...(heard === undefined
        ? {}
        : { lldp: { switchID: heard.chassisId, portID: heard.portId, switchSystemName: heard.systemName } }),
    };
  });
}

function storageOf(drive: Hardware['drives'][number], index: number): Storage {
  const isNvme = drive.protocol === 'NVMe';
  const name = isNvme ? `/dev/nvme${index}n1` : `/dev/sd${String.fromCharCode(97 + index)}`;
  const byPath = `/dev/disk/by-path/${isNvme ? 'nvme' : 'ata'}-${index}`;
  const rotational = drive.mediaType === 'HDD';
  return {
    name: byPath,
    alternateNames: [name, byPath],
    rotational,
    type: rotational ? 'HDD' : isNvme ? 'NVME' : 'SSD',
    sizeBytes: drive.capacityBytes,
    vendor: drive.manufacturer,
    model: drive.model,
    serialNumber: drive.serial,
    ...(isNvme ? {} : { hctl: `0:0:${index}:0` }),
  };
}

function cpuOf({ processors }: Hardware): NonNullable<HardwareDetails['cpu']> {
  const [first] = processors;
  const model = first?.model ?? '';
  return {
    arch: /ampere|altra|grace|arm/i.test(model) ? 'aarch64' : 'x86_64',
    model,
    clockMegahertz: first?.maxSpeedMhz ?? 0,
    flags: [],
    count: processors.reduce((sum, { threads }) => sum + threads, 0),
  };
}
