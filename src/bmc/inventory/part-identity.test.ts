import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { personalityNames, personalityOf, type RunningBmc, startDataCentre } from '../../../simulator/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { ComponentType, FirmwareSlot } from '../bmc.ts';
import { connectBmc } from '../connect.ts';
import { createGates } from '../gate/gates.ts';
import { readInventory } from './inventory.ts';
import { identifyParts } from './part-identity.ts';

const random = () => 0.5;

async function inventoryOf(t: TestContext, bmc: RunningBmc, caPem: string) {
  const gates = createGates({ clock: systemClock, random });
  t.after(() => gates.close());
  const { url: origin, username, password } = bmc;
  const endpoint = { origin, credentials: async () => ({ username, password }), trust: { kind: 'ca' as const, caPem } };
  return readInventory(connectBmc({ gates, endpoint, clock: systemClock, random }));
}

const identities = (parts: readonly { readonly manufacturer: string; readonly model: string }[]) =>
  [...new Set(parts.map(({ manufacturer, model }) => `${manufacturer}: ${model}`))].toSorted();

for (const personality of personalityNames) {
  test(`${personality}: adapters, drives and controllers have their own maker and product`, async (t) => {
    const options = { seed: 11, servers: 6, personalities: [personality], addressing: 'port' as const };
    const dataCentre = await startDataCentre({ ...options, arePoweredOn: true });
    t.after(() => dataCentre.close());
    const models = Map.groupBy(dataCentre.bmcs, ({ machine }) => machine.hardware.model);
    assert.deepEqual([...models.keys()].toSorted(), personalityOf(personality).models.toSorted());
    for (const [bmc] of models.values()) {
      assert.ok(bmc);
      const { firmware } = await inventoryOf(t, bmc, dataCentre.caPem ?? '');
      const shown = (component: ComponentType) =>
        firmware
          .filter((slot) => slot.component === component)
          .map(({ vendor = '', model = '' }) => ({ manufacturer: vendor, model }));
      const { nics, drives } = bmc.machine.hardware;
      assert.deepEqual(identities(shown('nic')), identities(nics));
      assert.deepEqual(identities(shown('drive')), identities(drives));
      const controllers = shown('storage-controller');
      assert.ok(controllers.every(({ manufacturer, model }) => manufacturer !== '' && model !== ''));
    }
  });
}

function nicOf(more: Partial<FirmwareSlot>): FirmwareSlot {
  const unknown = { vendor: undefined, model: undefined, pendingVersion: undefined, previousVersion: undefined };
  const rest = { softwareId: undefined, uri: '', relatedItems: [], health: undefined, isUpdateable: true };
  return { slot: 'NIC.Slot.3-1-1', component: 'nic', name: 'NIC', version: '1', ...unknown, ...rest, ...more };
}

const adapters = [
  { path: '/redfish/v1/Chassis/1/NetworkAdapters/NIC.Slot.3', body: { Manufacturer: 'Intel', Model: 'E810' } },
  { path: '/redfish/v1/Chassis/1/NetworkAdapters/NIC.Slot.30', body: { Manufacturer: 'NVIDIA', Model: 'CX-6' } },
];

for (const [what, slot, found] of [
  ['the port of an adapter by its FQDD', nicOf({}), ['Intel', 'E810']],
  ['a link to a port', nicOf({ slot: 'a', relatedItems: [`${adapters[1]?.path}/Ports/1`] }), ['NVIDIA', 'CX-6']],
  ['the name of the product', nicOf({ slot: 'b', name: 'cx 6 - 00:11:22:33:44:55' }), ['NVIDIA', 'CX-6']],
  [
    'the maker in the name, where the adapter is not listed',
    nicOf({ slot: 'c', name: 'Broadcom X' }),
    ['Broadcom', 'Broadcom X'],
  ],
  ['nothing known', nicOf({ slot: 'd', name: 'NIC 1' }), [undefined, undefined]],
] as const) {
  test(`identity by ${what}`, () => {
    const resources = { adapters, drives: [], controllers: [], powerSupplies: [], gaps: [] };
    const [known] = identifyParts([slot], { vendor: 'dell', resources });
    assert.deepEqual([known?.vendor, known?.model], found);
  });
}

test('no identity is made up while the adapters cannot be read', () => {
  const gaps = [{ path: '/redfish/v1/Chassis/1/NetworkAdapters', reason: 'the host has not finished POST' }];
  const resources = { adapters: [], drives: [], controllers: [], powerSupplies: [], gaps };
  const [known] = identifyParts([nicOf({ name: 'Mellanox Adapter' })], { vendor: 'hpe', resources });
  assert.deepEqual([known?.vendor, known?.model], [undefined, undefined]);
});

test('a power supply that the firmware inventory names by its place alone has the model of its own resource', () => {
  const psu = (at: number) => nicOf({ component: 'psu', slot: `PowerSupply${at}`, name: `PowerSupply${at}` });
  const body = { MemberId: '1', Name: 'PowerSupply2', Model: 'PWS-1K22A-1R' };
  const powerSupplies = [{ path: '/redfish/v1/Chassis/1/Power#/PowerSupplies/1', body }];
  const resources = { adapters: [], drives: [], controllers: [], powerSupplies, gaps: [] };
  const known = identifyParts([psu(1), psu(2)], { vendor: 'supermicro', resources });
  assert.deepEqual(
    known.map(({ model }) => model),
    [undefined, 'PWS-1K22A-1R'],
  );
});
