import { requireLease } from '../../engine/index.ts';
import {
  type FirmwareRecord,
  InventoryError,
  isInventoryError,
  type Serverservice,
} from '../../serverservice/index.ts';
import { readInstalled } from '../inventory/installed-firmware.ts';
import { draftInventory } from '../inventory/inventory-draft.ts';
import type { CatalogueFirmware, Enrolment, InventoryPort } from './inventory.ts';

/** What is used of Serverservice. */
export type InventoryService = Pick<
  Serverservice,
  | 'servers'
  | 'credentials'
  | 'firmware'
  | 'firmwareSets'
  | 'events'
  | 'inventories'
  | 'components'
  | 'versionedAttributes'
>;

/** Serverservice on the same store, as conditionOrc uses it. */
export function createInventoryPort(service: InventoryService): InventoryPort {
  return {
    async firmwareSet(id) {
      const set = await orMissing(service.firmwareSets.get(id));
      return set?.firmware.map(readFirmware);
    },
    async firmware(ids) {
      const found = await Promise.all(ids.map((id) => orMissing(service.firmware.get(id))));
      return found.filter((one) => one !== undefined).map(readFirmware);
    },
    enrol: (order) => enrol(service, order),
    removeServer: (id) => service.servers.remove(id),
    async recordEnd({ unit, kind, serverId, parameters, state, status, startedAt, endedAt }) {
      const times = { startedAt, endedAt: Math.max(startedAt, endedAt) };
      const end = { finalState: state, finalStatus: status, ...times };
      await service.events.put({ id: unit, type: kind, target: serverId, parameters, ...end });
    },
    installedFirmware: (serverId) => readInstalled(service, serverId),
    writeInventory: (report) =>
      service.inventories.write(draftInventory(report), (tx) => requireLease(tx, report.lease)),
    recordValidation: ({ setId, serverId, at }) =>
      service.firmwareSets.noteValidation({ setId, serverId, performedOn: at }),
  };
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isInventoryError(error, 'notFound')) return undefined;
    throw error;
  }
}

function readFirmware(record: FirmwareRecord): CatalogueFirmware {
  const { id, vendor, component, version, filename, url, checksum, models, softwareIds, isInband, isOem } = record;
  return { id, vendor, component, version, filename, url, checksum, models, softwareIds, isInband, isOem };
}

/** A server whose credentials cannot be kept is of no use: it goes again. */
async function enrol(service: InventoryService, order: Enrolment): Promise<{ id: string; facility: string }> {
  const { bmc, id, systemUuid = '', bmcUuid = '', ...fields } = order;
  const attributes = [{ namespace: 'sh.hollow.bmc_info', data: { address: bmc.address } }];
  const named = id === undefined ? {} : { id };
  const server = await service.servers.create({
    ...{ ...fields, ...named, systemUuid, bmcUuid, attributes },
    bmcAddress: bmc.address,
  });
  try {
    await service.credentials.put(server.id, 'bmc', { username: bmc.username, password: bmc.password });
  } catch (error) {
    await service.servers.remove(server.id).catch((cause: unknown) => {
      const detail = 'its credentials were not kept, and it could not be taken away again: delete it';
      throw new InventoryError('inUse', { what: 'server', id: server.id, detail }, { cause });
    });
    throw error;
  }
  return { id: server.id, facility: server.facility };
}
