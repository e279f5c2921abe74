import type { Engine } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import type { InstalledFirmware } from '../inventory/installed-firmware.ts';
import type { CatalogueFirmware, ConditionEnd, Enrolment, InventoryPort } from '../ports/inventory.ts';

/** For tests: an inventory in memory. */
export interface FakeInventory extends InventoryPort {
  readonly sets: Map<string, CatalogueFirmware[]>;
  readonly enrolled: Enrolment[];
  readonly ends: ConditionEnd[];
  readonly validations: { readonly setId: string; readonly serverId: string }[];
  readonly reports: InventoryReport[];
  /** By server. */
  readonly installed: Map<string, InstalledFirmware>;
  /** Thrown by whatever is asked next, once. */
  failure: Error | undefined;
}

/** For tests: an image. */
export function firmwareForTests(id: string, more: Partial<CatalogueFirmware> = {}): CatalogueFirmware {
  return {
    id,
    vendor: 'dell',
    component: 'bios',
    version: '2.1.0',
    filename: 'bios.bin',
    url: 'http://127.0.0.1:1/bios.bin',
    checksum: `sha256:${'a'.repeat(64)}`,
    models: ['r750'],
    softwareIds: [],
    isInband: false,
    isOem: false,
    ...more,
  };
}

/** For tests: a server as an inventory shows it, with this version of its BIOS. */
export function serverForTests(version: string): InstalledFirmware['server'] {
  const unknown = { vendor: undefined, model: undefined, pendingVersion: undefined, previousVersion: undefined };
  const rest = { softwareId: undefined, uri: '', relatedItems: [], health: undefined, isUpdateable: true };
  const bios = { slot: 'BIOS', component: 'bios', name: 'BIOS', version, ...unknown, ...rest } as const;
  return { vendor: 'dell', manufacturer: 'Dell Inc.', model: 'PowerEdge R750', slots: [bios] };
}

/** For tests: makes an inventory whose servers are machines of the engine. */
export function createFakeInventory(machines: Engine['machines']): FakeInventory {
  const inventory: FakeInventory = {
    sets: new Map(),
    enrolled: [],
    ends: [],
    validations: [],
    reports: [],
    installed: new Map(),
    failure: undefined,
    async firmwareSet(id) {
      fail();
      return inventory.sets.get(id);
    },
    async firmware(ids) {
      fail();
      const all = [...inventory.sets.values()].flat();
      return ids.flatMap((id) => all.find((one) => one.id === id) ?? []);
    },
    async enrol(order) {
      fail();
      const id = order.id ?? 'none';
      const { facility, vendor: manufacturer, model, bmc } = order;
      const machine = { id, facility, bmcId: id, manufacturer, model, hold: undefined };
      const outcome = await machines.put(machine, [{ kind: 'bmc-address', value: bmc.address }]);
      if (outcome !== 'ok')
        throw Object.assign(new Error('DuplicateMachine'), { status: 409, code: 'duplicateMachine' });
      inventory.enrolled.push(order);
      return { id, facility };
    },
    async removeServer(id) {
      fail();
      await machines.remove(id);
    },
    async recordEnd(end) {
      fail();
      inventory.ends.push(end);
    },
    async installedFirmware(serverId) {
      fail();
      return inventory.installed.get(serverId);
    },
    async writeInventory(report) {
      fail();
      inventory.reports.push(report);
    },
    async recordValidation(fact) {
      fail();
      inventory.validations.push(fact);
    },
  };
  const fail = (): void => {
    const error = inventory.failure;
    inventory.failure = undefined;
    if (error !== undefined) throw error;
  };
  return inventory;
}
