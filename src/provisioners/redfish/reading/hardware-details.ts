import type { HardwareDetails } from '../../../api/index.ts';
import type { Inventory } from '../../../bmc/index.ts';

/** What a BMC tells of its machine, in the words of an inspection. What only an agent sees is left out. */
export function detailsOf(inventory: Inventory): HardwareDetails {
  const { system, memory, processors, ports, drives } = inventory;
  const cpus = processors.filter(({ type }) => type === undefined || type === 'CPU');
  const model = cpus.find((each) => each.model !== undefined)?.model;
  return {
    systemVendor: present({
      manufacturer: system.manufacturer,
      productName: system.model,
      serialNumber: system.serial,
    }),
    ...(system.biosVersion === undefined ? {} : { firmware: { bios: { version: system.biosVersion } } }),
    ramMebibytes: memory.reduce((sum, { capacityMib = 0 }) => sum + capacityMib, 0),
    nics: ports.map(({ id, mac, adapter, speedMbps }) => ({
      name: id,
      mac,
      ...present({ model: adapter }),
      ...(speedMbps === undefined ? {} : { speedGbps: Math.round(speedMbps / 1000) }),
    })),
    storage: drives.map((drive) => ({
      name: drive.id,
      ...(drive.mediaType === undefined ? {} : { rotational: drive.mediaType === 'HDD' }),
      ...(drive.capacityBytes === undefined ? {} : { sizeBytes: drive.capacityBytes }),
      ...present({ model: drive.model, serialNumber: drive.serial }),
    })),
    cpu: {
      ...present({ model }),
      count: cpus.reduce((sum, { threads, cores }) => sum + (threads ?? cores ?? 0), 0),
    },
  };
}

/** The members that are there. */
function present<const T extends Readonly<Record<string, string | undefined>>>(all: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}
