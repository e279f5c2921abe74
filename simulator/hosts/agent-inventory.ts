import type { DrivePart } from '../machine/hardware.ts';
import type { Machine, Neighbour } from '../machine/machine.ts';
import type { JsonObject } from '../redfish/route.ts';

/** What the agent knows of its surroundings besides the machine it runs on. */
export interface AgentSurroundings {
  /** Address of the BMC, without port. */
  readonly bmcAddress: string;
  /** The NIC port it booted from. */
  readonly bootMac: string;
}

/** The inventory an Ironic-style agent posts: interfaces, CPU, memory, disks, vendor and boot facts. */
export function agentInventory(machine: Machine, surroundings: AgentSurroundings): JsonObject {
  const { bmcAddress, bootMac } = surroundings;
  const disks = machine.hardware.drives.map(describeDisk);
  return {
    inventory: {
      interfaces: describeInterfaces(machine, bootMac),
      cpu: describeCpu(machine),
      memory: describeMemory(machine),
      disks,
      bmc_address: bmcAddress.includes(':') ? '0.0.0.0' : bmcAddress,
      bmc_v6address: bmcAddress.includes(':') ? bmcAddress : '::/0',
      bmc_mac: machine.hardware.bmcMac.toLowerCase(),
      system_vendor: describeVendor(machine),
      boot: { current_boot_mode: machine.boot.mode === 'UEFI' ? 'uefi' : 'bios', pxe_interface: bootMac.toLowerCase() },
      hostname: machine.name,
    },
    root_disk: disks[0] ?? null,
    boot_interface: `01-${bootMac.toLowerCase().replaceAll(':', '-')}`,
    configuration: {
      collectors: ['default', 'logs'],
      managers: [{ name: 'generic_hardware_manager', version: '1.2' }],
    },
    error: null,
  };
}

function describeInterfaces(machine: Machine, bootMac: string): JsonObject[] {
  const ports = machine.hardware.nics.flatMap((nic) => nic.ports);
  return ports.map((port, index) => {
    const neighbour = machine.neighbour(port.mac);
    const isBootPort = port.mac.toLowerCase() === bootMac.toLowerCase();
    return {
      name: `eno${index + 1}`,
      mac_address: port.mac.toLowerCase(),
      ipv4_address: isBootPort ? `192.0.2.${(index % 254) + 1}` : null,
      ipv6_address: null,
      has_carrier: neighbour !== undefined,
      lldp: neighbour === undefined ? null : lldpFrames(neighbour),
      vendor: '0x8086',
      product: '0x1563',
      client_id: null,
      biosdevname: `em${index + 1}`,
      speed_mbps: neighbour === undefined ? null : port.speedMbps,
      pci_address: `0000:18:00.${index}`,
      driver: 'ixgbe',
    };
  });
}

// As the agent reads them off the wire: type of the TLV and its bytes in hex.
function lldpFrames(neighbour: Neighbour): (number | string)[][] {
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  return [
    [1, `04${neighbour.chassisId.replaceAll(':', '')}`],
    [2, `05${hex(neighbour.portId)}`],
    [3, '0078'],
    [5, hex(neighbour.systemName)],
  ];
}

function describeCpu(machine: Machine): JsonObject {
  const [first] = machine.hardware.processors;
  const threads = machine.hardware.processors.reduce((sum, each) => sum + each.threads, 0);
  return {
    model_name: first?.model ?? '',
    frequency: `${(first?.maxSpeedMhz ?? 0).toFixed(4)}`,
    count: threads,
    architecture: /ampere|grace|arm/i.test(first?.model ?? '') ? 'aarch64' : 'x86_64',
    flags: ['fpu', 'vmx', 'aes', 'pse', 'pdpe1gb'],
    socket_count: machine.hardware.processors.length,
  };
}

function describeMemory(machine: Machine): JsonObject {
  const physicalMib = machine.hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0);
  return { total: physicalMib * 1024 * 1024, physical_mb: physicalMib };
}

function describeDisk(drive: DrivePart, index: number): JsonObject {
  const isNvme = drive.protocol === 'NVMe';
  return {
    name: isNvme ? `/dev/nvme${index}n1` : `/dev/sd${String.fromCharCode(97 + index)}`,
    model: drive.model,
    size: drive.capacityBytes,
    rotational: drive.mediaType === 'HDD',
    wwn: null,
    serial: drive.serial,
    vendor: isNvme ? null : drive.manufacturer,
    hctl: isNvme ? null : `0:0:${index}:0`,
    by_path: `/dev/disk/by-path/${isNvme ? 'nvme' : 'ata'}-${index}`,
    logical_sectors: 512,
  };
}

function describeVendor(machine: Machine): JsonObject {
  const bios = machine.firmware.find((slot) => slot.component === 'bios');
  return {
    product_name: `${machine.hardware.model} (SKU=${machine.hardware.sku})`,
    serial_number: machine.hardware.serial,
    manufacturer: machine.personality.manufacturer,
    firmware: { vendor: machine.personality.manufacturer, version: bios?.version ?? '', build_date: '02/24/2025' },
  };
}
