import type { Inventory } from '../bmc.ts';
import {
  collect,
  firstTextIn,
  integerIn,
  isAbsent,
  linkIn,
  type Reading,
  type System,
  textIn,
} from '../redfish/index.ts';

/** The processors of a system, empty sockets left out. */
export async function readProcessors(reading: Reading, system: System): Promise<Inventory['processors']> {
  const members = await collect(reading, linkIn(system.body, 'Processors'));
  return members
    .filter(({ body }) => !isAbsent(body))
    .map(({ path, body }) => {
      const type = textIn(body, 'ProcessorType');
      return {
        id: textIn(body, 'Id') ?? path,
        model: textIn(body, 'Model'),
        cores: integerIn(body, 'TotalCores'),
        threads: integerIn(body, 'TotalThreads'),
        ...(type === undefined ? {} : { type }),
      };
    });
}

/** The memory modules of a system, empty slots left out: they are listed as absent, or with nothing in them. */
export async function readMemory(reading: Reading, system: System): Promise<Inventory['memory']> {
  const members = await collect(reading, linkIn(system.body, 'Memory'));
  return members
    .filter(({ body }) => !isAbsent(body) && integerIn(body, 'CapacityMiB') !== 0)
    .map(({ path, body }) => ({
      id: firstTextIn(body, 'Id', 'DeviceLocator') ?? path,
      capacityMib: integerIn(body, 'CapacityMiB'),
      speedMhz: integerIn(body, 'OperatingSpeedMhz'),
      partNumber: textIn(body, 'PartNumber'),
      serial: textIn(body, 'SerialNumber'),
    }));
}
