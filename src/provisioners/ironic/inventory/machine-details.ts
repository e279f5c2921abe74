import type { MachineDetails } from '../../discovery-source.ts';
import { type JsonObject, objectOf, objectsOf, textOf } from '../client/index.ts';
import { hardwareDetailsOf } from './hardware-details.ts';

/** What a machine has told of itself, from what Ironic keeps of that. */
export function machineDetailsOf(stored: JsonObject): MachineDetails {
  const inventory = objectOf(stored.inventory);
  const addresses = objectsOf(inventory.interfaces).flatMap(
    ({ ipv4_address, ipv6_address }) => textOf(ipv4_address) ?? textOf(ipv6_address) ?? [],
  );
  return {
    hardware: hardwareDetailsOf(stored),
    hostname: textOf(inventory.hostname),
    ip: addresses[0],
    serialNumber: textOf(objectOf(inventory.system_vendor).serial_number),
  };
}

/** Whether the machine told it without having been asked. */
export function isOwnReport(stored: JsonObject): boolean {
  return objectOf(stored.plugin_data).auto_discovered === true;
}
