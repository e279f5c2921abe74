import { type FirmwareSlot, type Inventory, usableSerial, usableUuid } from '../../bmc/index.ts';
import { EngineError, type JsonObject, machineIdOf } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import { type FirmwareComponent, getPartClass } from '../../parts/index.ts';
import type { ComponentDraft, InventoryDraft, ObservedServer } from '../../serverservice/index.ts';

/** Where the last inventory by way of the BMC is among the versioned attributes of a server. */
export const inventoryNamespace = 'rackwright.inventory_oob';
/** Where settings of the BIOS are, of whoever asked for them. */
export const biosNamespace = 'rackwright.bios_settings';
/** Where the firmware of a part is among its versioned attributes. */
export const firmwareNamespace = 'rackwright.firmware';

/** Types that the inventory has, by the class of the part. */
const typeOf: Readonly<Record<FirmwareComponent, string>> = {
  bmc: 'bmc',
  bios: 'bios',
  cpld: 'cpld',
  nic: 'nic',
  drive: 'drive',
  backplane: 'backplane-expander',
  'storage-controller': 'storagecontroller',
  psu: 'power-supply',
  gpu: 'gpu',
  tpm: 'tpm',
  cpu: 'cpu',
  other: 'other',
};

/** An inventory as it is written down: what was read as versioned attributes, firmware as parts with their versions. */
export function draftInventory(report: InventoryReport): InventoryDraft {
  const serverId = machineIdOf(report.target);
  if (serverId === undefined) throw new EngineError('unknownMachine', { machine: report.target });
  // The clock of a BMC drifts: with it every inventory would be another one.
  const { clockOffsetMs: _, ...manager } = report.inventory.manager ?? { clockOffsetMs: undefined };
  const data = plain({ ...report.inventory, manager, firmware: undefined, gaps: undefined });
  const bios =
    report.biosSettings === undefined ? [] : [{ namespace: biosNamespace, data: plain(report.biosSettings) }];
  const isWhole = report.inventory.gaps.length === 0;
  return {
    serverId,
    versionedAttributes: [{ namespace: inventoryNamespace, data }, ...bios],
    observed: observe(report.inventory),
    components: distinct(report.inventory.firmware.flatMap(toComponent)),
    ...(isWhole ? { goneUnless: firmwareNamespace } : {}),
  };
}

/** What an inventory says of the server itself; placeholders say nothing. */
function observe({ system, ports, serviceUuid }: Inventory): ObservedServer {
  const { manufacturer = '', model = '', serial, sku, uuid } = system;
  return {
    vendor: shown(manufacturer),
    model: shown(model),
    serial: shown(usableSerial(serial) ?? ''),
    otherSerials: [usableSerial(sku) ?? ''].filter((each) => each !== ''),
    macs: ports
      .map(({ mac }) => mac.toLowerCase())
      .filter(isOwnMac)
      .slice(0, mostMacs),
    systemUuid: usableUuid(uuid) ?? '',
    bmcUuid: usableUuid(serviceUuid) ?? '',
  };
}

const mostMacs = 64;

/** Adapters without an address of their own tell zeros or ones. */
function isOwnMac(mac: string): boolean {
  return /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/.test(mac) && !/^(?:00|ff)(?::(?:00|ff)){5}$/.test(mac);
}

function shown(text: string): string {
  return text.trim().slice(0, 255).toWellFormed();
}

function toComponent(slot: FirmwareSlot): ComponentDraft[] {
  if (slot.isBackup === true) return [];
  const { version, pendingVersion, previousVersion, softwareId, otherSoftwareIds, isUpdateable, component } = slot;
  const installed = { version, pendingVersion, previousVersion };
  const data = plain({ installed, softwareId, otherSoftwareIds, isUpdateable, component, slot: slot.slot });
  const versionedAttributes = [{ namespace: firmwareNamespace, data }];
  const known = { vendor: slot.vendor ?? '', model: slot.model ?? '' };
  const partClass = getPartClass(slot);
  // A worker may know classes that are not known here.
  const type = Object.hasOwn(typeOf, partClass) ? typeOf[partClass] : 'other';
  return [{ type, serial: slot.serial ?? '', slot: slot.slot, name: slot.name, ...known, versionedAttributes }];
}

/** Two places of one name would be one part, and the inventory would be refused as a whole. */
function distinct(drafts: readonly ComponentDraft[]): ComponentDraft[] {
  const seen = new Map<string, number>();
  return drafts.map((draft) => {
    const key = `${draft.type} ${draft.slot}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? draft : { ...draft, slot: `${draft.slot}#${count}` };
  });
}

/** As JSON has it: without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
