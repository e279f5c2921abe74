import type { KnownMachine } from '../../bmc/index.ts';
import { createInventoryPort, type InventoryService } from '../../conditionorc/index.ts';
import { type Firmware, type InventorySink, toFirmware } from '../../flasher/index.ts';
import { isInventoryError, type Serverservice } from '../../serverservice/index.ts';
import { knownMachineOf } from './known-machine.ts';

/** A server as far as work on it needs to know. */
export interface InventoryServer {
  /** Empty where no BMC is known. */
  readonly bmcAddress: string;
  readonly machine: KnownMachine;
  /** What the service root of its BMC is known by. */
  readonly bmcUuid?: string;
}

/** What a flasher asks of the inventory; in this process or over HTTP. */
export interface InventoryAccess {
  /** Undefined for a server that is not there. */
  serverOf(serverId: string): Promise<InventoryServer | undefined>;
  /** Undefined where none is kept. */
  bmcLoginOf(serverId: string): Promise<{ readonly username: string; readonly password: string } | undefined>;
  /** Undefined for a set that is not there. */
  firmwareSet(id: string): Promise<readonly Firmware[] | undefined>;
}

type Service = Pick<Serverservice, 'servers' | 'credentials' | 'firmwareSets'>;

/** The inventory on the store of this process. */
export function storedInventory(service: Service): InventoryAccess {
  return {
    async serverOf(id) {
      const found = await orMissing(service.servers.getDetails(id));
      if (found === undefined) return undefined;
      const { bmcAddress, bmcUuid } = found;
      return { bmcAddress, machine: knownMachineOf(found), ...knownUuid(bmcUuid) };
    },
    bmcLoginOf: async (id) => {
      const found = await orMissing(service.credentials.get(id, 'bmc'));
      return found === undefined ? undefined : { username: found.username, password: found.password };
    },
    async firmwareSet(id) {
      const set = await orMissing(service.firmwareSets.get(id));
      return set?.firmware.map(({ models, softwareIds, isInband, isOem, ...firmware }) =>
        toFirmware({
          id: firmware.id,
          vendor: firmware.vendor,
          component: firmware.component,
          version: firmware.version,
          filename: firmware.filename,
          URL: firmware.url,
          checksum: firmware.checksum,
          models: [...models],
          software_ids: [...softwareIds],
          install_inband: isInband,
          oem: isOem,
        }),
      );
    },
  };
}

/** Where inventories go on the store of this process: written all or nothing, and only under a lease that is held. */
export function storedInventorySink(service: InventoryService): InventorySink {
  const { writeInventory } = createInventoryPort(service);
  return { write: writeInventory };
}

/** Undefined for what the inventory does not have. */
export async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isInventoryError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** A server whose BMC was never read has an empty one, which proves nothing. */
export function knownUuid(bmcUuid: string | undefined): Pick<InventoryServer, 'bmcUuid'> {
  return bmcUuid === undefined || bmcUuid === '' ? {} : { bmcUuid };
}
