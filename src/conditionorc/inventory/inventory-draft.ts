import type { FirmwareSlot } from '../../bmc/index.ts';
import { EngineError, type JsonObject, machineIdOf } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import type { ComponentDraft, InventoryDraft } from '../../serverservice/index.ts';

/** Where the last inventory by way of the BMC is among the versioned attributes of a server. */
export const inventoryNamespace = 'rackwright.inventory_oob';
/** Where settings of the BIOS are, of whoever asked for them. */
export const biosNamespace = 'rackwright.bios_settings';
/** Where the firmware of a part is among its versioned attributes. */
export const firmwareNamespace = 'rackwright.firmware';

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

/** Firmware inventories have no types of their own for these; their names tell. */
const typesByName: readonly (readonly [RegExp, string])[] = [
  [/backplane|expander/i, 'backplane-expander'],
  [/\bcpu\b|processor|microcode/i, 'cpu'],
];

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
    components: distinct(report.inventory.firmware.flatMap(toComponent)),
    ...(isWhole ? { goneUnless: firmwareNamespace } : {}),
  };
}

function toComponent(slot: FirmwareSlot): ComponentDraft[] {
  const type = typeOf[slot.component] ?? typesByName.find(([names]) => names.test(slot.name))?.[1];
  if (type === undefined || slot.isBackup === true) return [];
  const { version, pendingVersion, previousVersion, softwareId, otherSoftwareIds, isUpdateable, component } = slot;
  const installed = { version, pendingVersion, previousVersion };
  const data = plain({ installed, softwareId, otherSoftwareIds, isUpdateable, component });
  const versionedAttributes = [{ namespace: firmwareNamespace, data }];
  const known = { vendor: slot.vendor ?? '', model: slot.model ?? '' };
  return [{ type, serial: slot.slot, name: slot.name, ...known, versionedAttributes }];
}

/** Two places of one name would be one part, and the inventory would be refused as a whole. */
function distinct(drafts: readonly ComponentDraft[]): ComponentDraft[] {
  const seen = new Map<string, number>();
  return drafts.map((draft) => {
    const key = `${draft.type} ${draft.serial}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? draft : { ...draft, serial: `${draft.serial}#${count}` };
  });
}

/** As JSON has it: without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
