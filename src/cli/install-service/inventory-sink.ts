import type { FirmwareSlot } from '../../bmc/index.ts';
import { EngineError, type JsonObject, machineIdOf } from '../../engine/index.ts';
import type { InventoryReport, InventorySink } from '../../flasher/index.ts';
import type { ComponentDraft, Serverservice } from '../../serverservice/index.ts';

const leaseNamespace = 'rackwright.inventory_lease';
const inventoryNamespace = 'rackwright.inventory_oob';
const biosNamespace = 'rackwright.bios_settings';
const firmwareNamespace = 'rackwright.firmware';

/** Kinds of parts that the inventory has, by what a BMC's firmware inventory calls them. */
const typeOf: Readonly<Record<string, string>> = {
  bmc: 'bmc',
  bios: 'bios',
  cpld: 'cpld',
  nic: 'nic',
  drive: 'drive',
  'storage-controller': 'storagecontroller',
  psu: 'power-supply',
  gpu: 'gpu',
  tpm: 'tpm',
};

type Service = Pick<Serverservice, 'attributes' | 'versionedAttributes' | 'components'>;

/** Writes inventories down: what was read as versioned attributes, firmware as parts with their versions. */
export function createInventorySink(service: Service): InventorySink {
  return {
    async write(report) {
      const id = machineIdOf(report.target);
      if (id === undefined) throw new EngineError('unknownMachine', { machine: report.target });
      const owner = { kind: 'server', id } as const;
      await refuseOlder(service, owner, report);
      const { clockOffsetMs: _, ...manager } = report.inventory.manager ?? { clockOffsetMs: undefined };
      const data = plain({ ...report.inventory, manager, firmware: undefined, gaps: undefined });
      await service.versionedAttributes.append(owner, { namespace: inventoryNamespace, data });
      if (report.biosSettings !== undefined) {
        await service.versionedAttributes.append(owner, { namespace: biosNamespace, data: plain(report.biosSettings) });
      }
      await service.components.put(id, report.inventory.firmware.flatMap(toComponent));
    },
  };
}

/** A worker that was given up and woke again has an older lease than whoever came after it. */
async function refuseOlder(
  { attributes }: Service,
  owner: { readonly kind: 'server'; readonly id: string },
  { lease }: InventoryReport,
): Promise<void> {
  const last = await attributes.get(owner, leaseNamespace);
  if (last !== undefined && Number(last.data.token) > lease.token) {
    throw new EngineError('leaseLost', { id: lease.conditionId, detail: 'a newer inventory is stored already' });
  }
  await attributes.put(owner, { namespace: leaseNamespace, data: { ...lease } });
}

function toComponent(slot: FirmwareSlot): ComponentDraft[] {
  const type = typeOf[slot.component];
  if (type === undefined || slot.isBackup === true) return [];
  const { version, pendingVersion, previousVersion, softwareId, isUpdateable } = slot;
  const data = plain({ installed: { version, pendingVersion, previousVersion }, softwareId, isUpdateable });
  const versionedAttributes = [{ namespace: firmwareNamespace, data }];
  const known = { vendor: slot.vendor ?? '', model: slot.model ?? '' };
  return [{ type, serial: slot.slot, name: slot.name, ...known, versionedAttributes }];
}

/** As JSON has it: without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
