import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { BmcError } from '../errors.ts';
import { mutate, mutations } from '../testing/mutate.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readInventory } from './inventory.ts';
import { machineIdOf } from './machine-id.ts';

const expanding = { ProtocolFeaturesSupported: { ExpandQuery: { ExpandAll: true, Levels: true, MaxLevels: 3 } } };
const vendors = ['Dell', 'HPE', 'Lenovo', 'Supermicro', 'OpenBMC', 'NVIDIA', 'Contoso'];

test('an inventory of any broken BMC is an inventory or a BmcError, and comes to an end', async () => {
  await fc.assert(
    fc.asyncProperty(mutations, fc.constantFrom(...vendors), fc.boolean(), async (changes, Vendor, canExpand) => {
      const root = { Vendor, ...(canExpand ? expanding : {}) };
      const { bmc, gate } = createScriptedBmc({ tree: mutate(sampleTree({ root }), changes), canExpand });
      try {
        const inventory = await readInventory(bmc);
        assert.ok(Array.isArray(inventory.gaps));
        for (const slot of inventory.firmware) assert.equal(typeof slot.version, 'string');
        for (const port of inventory.ports) assert.match(port.mac, /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
        await machineIdOf(bmc);
      } catch (error) {
        if (!(error instanceof BmcError)) throw error;
      }
      assert.ok(gate.sent.length < 500, 'a broken BMC is not asked without end');
      assert.ok(gate.sent.every(({ path }) => new URL(path, gate.origin).origin === gate.origin));
    }),
    { numRuns: 3000 },
  );
});
