import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkHandler } from '../../engine/index.ts';
import { flasherHandlers } from '../create-flasher.ts';
import { leaseWork, storeWork } from '../testing/fake-work.ts';
import { startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';
import type { HandlerContext, InventoryReport } from './ports.ts';

test('a reading during which the BMC is too busy to list its firmware is stored, and done again until it has all', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const stored = storeWork({ kind: 'inventoryOOB', parameters: {} });
  const written: InventoryReport[] = [];
  const life = () =>
    rig.within(async (base) => {
      const inventorySink = { write: async (report: InventoryReport) => void written.push(report) };
      const handler = flasherHandlers({ ...base, inventorySink } as HandlerContext).inventoryOOB as WorkHandler;
      return await handler(leaseWork(stored, { mortal: createMortal(), clock: base.clock }));
    });
  rig.setFaults([{ kind: 'busy', path: '*/FirmwareInventory*' }]);
  await assert.rejects(life(), { code: 'firmwareUnread', retry: 'transient', message: /FirmwareInventory/ });
  assert.equal(written.length, 1);
  rig.setFaults([]);
  assert.equal((await life()).outcome, 'succeeded');
  assert.deepEqual(written.at(-1)?.inventory.gaps, []);
});
