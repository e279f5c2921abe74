import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, type GateLane, type GateRequest, type Gates } from '../../bmc/index.ts';
import type { JsonObject, WorkHandler } from '../../engine/index.ts';
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

/** Of BMCs that have no BIOS resource. */
function withoutBios(gates: Gates): Gates {
  return {
    ...gates,
    open(...about) {
      const lane = gates.open(...about);
      return Object.create(lane, {
        request: {
          async value(request: GateRequest) {
            if (!request.path.endsWith('/Bios')) return await lane.request(request);
            throw new BmcError('notFound', { origin: lane.origin, path: request.path });
          },
        },
      }) as GateLane;
    },
  };
}

test('a reading with BIOS settings of a BMC that shows none is stored without them, and says so', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  const stored = storeWork({ kind: 'inventoryOOB', parameters: { collect_bios_cfg: true } });
  const written: InventoryReport[] = [];
  const outcome = await rig.within(async (base) => {
    const inventorySink = { write: async (report: InventoryReport) => void written.push(report) };
    const gates = withoutBios(base.gates);
    const handler = flasherHandlers({ ...base, gates, inventorySink } as HandlerContext).inventoryOOB as WorkHandler;
    return await handler(leaseWork(stored, { mortal: createMortal(), clock: base.clock }));
  });
  assert.equal(outcome.outcome, 'succeeded');
  assert.deepEqual([written.length, written[0]?.biosSettings, written[0]?.inventory.gaps], [1, undefined, []]);
  const { gaps } = (outcome as { status?: JsonObject }).status ?? {};
  assert.deepEqual(gaps, [{ path: 'Bios', reason: (gaps as { reason: string }[])[0]?.reason }]);
  assert.match(JSON.stringify(gaps), /has no .*\/Bios/);
});
