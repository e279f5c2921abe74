import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { PartFirmware } from '../../src/api/index.ts';
import type { FirmwareSlot, Inventory } from '../../src/bmc/index.ts';
import { getInstalledParts } from '../../src/parts/index.ts';
import { type ScanWay, scanWays, startScannedServer } from './scan-ways.ts';
import { readSimulatedModels } from './simulated-inventories.ts';

const models = await readSimulatedModels();

/** What a ServerFirmware shows of an inventory: what is not known is not there. */
function shownOf(inventory: Inventory): readonly PartFirmware[] {
  return getInstalledParts(inventory).map((part) => {
    const known = Object.entries(part).filter(([field, text]) => text !== '' || field === 'manufacturer');
    return Object.fromEntries(known) as unknown as PartFirmware;
  });
}

test('a ServerFirmware shows the same of every simulated model, whichever way its server is scanned', async (t) => {
  const server = await startScannedServer(t);
  for (const way of scanWays) {
    // One model after the other: a way that writes nothing would show the parts of the model before.
    for (const { model, inventory } of models) {
      const { firmwares, bios } = await server.scan(way, inventory);
      assert.deepEqual(firmwares, shownOf(inventory), `${model}: ${way}`);
      const version = firmwares?.find(({ name }) => name === 'bios')?.version;
      assert.deepEqual(bios, { version }, `${model}: ${way}`);
    }
  }
});

/** Something else that a BMC may say: in another order, with other versions, with less known of a part. */
function otherSlots(slots: readonly FirmwareSlot[]): fc.Arbitrary<readonly FirmwareSlot[]> {
  const changes = slots.map((slot) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(slot) },
      { weight: 2, arbitrary: fc.constantFrom('1.0', '9.9', '').map((version) => ({ ...slot, version })) },
      { weight: 1, arbitrary: fc.constant({ ...slot, vendor: undefined, model: undefined, softwareId: undefined }) },
      { weight: 1, arbitrary: fc.constant({ ...slot, vendor: 'Acme', model: 'Other' }) },
    ),
  );
  return fc.tuple(...changes).chain((changed) => fc.shuffledSubarray(changed, { minLength: 1 }));
}

test('of scans in any ways, one after the other, the last one is shown and nothing of the way that it took', async (t) => {
  const server = await startScannedServer(t);
  const scan = fc
    .tuple(fc.constantFrom<ScanWay>(...scanWays), fc.constantFrom(...models))
    .chain(([way, { inventory }]) =>
      otherSlots(inventory.firmware).map((firmware) => ({ way, inventory: { ...inventory, firmware } })),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(scan, { minLength: 1, maxLength: 3 }), async (scans) => {
      for (const { way, inventory } of scans) {
        const { firmwares } = await server.scan(way, inventory);
        assert.deepEqual(firmwares, shownOf(inventory));
      }
    }),
    { numRuns: 30 },
  );
});

test('a server with two kinds of NIC lists both, and a rescan by another runner changes neither', async (t) => {
  for (const model of ['PowerEdge R750', 'ThinkSystem SR630']) {
    const { inventory } = models.find((each) => each.model === model) ?? assert.fail(model);
    const server = await startScannedServer(t);
    const lists: unknown[] = [];
    for (const way of [...scanWays, ...scanWays.toReversed()]) {
      const { firmwares = [] } = await server.scan(way, inventory);
      lists.push(firmwares.filter(({ name }) => name === 'nic'));
    }
    const [first] = lists;
    for (const other of lists) assert.deepEqual(other, first);
    const nics = new Set((first as readonly PartFirmware[]).map((nic) => `${nic.manufacturer} ${nic.version}`));
    assert.equal(nics.size, 2, [...nics].join(', '));
  }
});
