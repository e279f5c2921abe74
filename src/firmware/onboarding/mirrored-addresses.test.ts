import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addressPairs } from '../../bmc/index.ts';
import { createEngine, type Engine, externalWork, openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createServerservice, type Serverservice } from '../../serverservice/index.ts';
import { inlineBmcKey, inlineOrigin, systemAddress } from '../fleet/bmc-location.ts';
import type { InventoryMirror, MirroredServer } from '../ports.ts';
import { objectAddress } from '../testing/object-address.ts';
import { createServerserviceMirror } from './mirror-to-serverservice.ts';

const { signal } = new AbortController();

/** What the inventory is told of a Server object that names its BMC so. */
function serverAt(name: 'a' | 'b', text: string): MirroredServer {
  const { systemURI, ...bmc } = objectAddress(text);
  const inline = { ...bmc, bmcSecretRef: { name: 's' } };
  const place = { bmcId: inlineBmcKey(inline), bmcAddress: systemAddress(inlineOrigin(inline), systemURI) };
  const hardware = { manufacturer: 'Dell Inc.', model: 'R750', serialNumber: `SN-${name}`, macs: [] };
  return { id: `${name.repeat(8)}-7742-3448-3784-823347823834`, name, ...hardware, ...place, credentials: undefined };
}

describe('two Server objects', () => {
  let engine: Engine;
  let service: Serverservice;
  let mirror: InventoryMirror;
  const closing: (() => Promise<void>)[] = [];
  before(async () => {
    const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
    engine = await createEngine({ database, kinds: [externalWork], clock: systemClock });
    service = await createServerservice({ database, machines: engine.machines });
    mirror = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
    closing.push(
      () => engine.close(),
      () => database.close(),
    );
  });
  after(async () => {
    for (const close of closing) await close();
  });

  for (const [one, other, relation] of addressPairs) {
    test(`with BMCs at ${one} and ${other}: ${relation}`, async () => {
      for (const [first, second] of [
        [serverAt('a', one), serverAt('b', other)],
        [serverAt('a', other), serverAt('b', one)],
      ] as const) {
        assert.deepEqual(await mirror.put(first, signal), { kind: 'ok' });
        // Told again, nothing seems to have changed.
        assert.equal((await service.servers.get(first.id)).bmcAddress, first.bmcAddress);
        const outcome = await mirror.put(second, signal);
        const isOne = relation === 'same' || relation === 'overlap';
        assert.equal(outcome.kind, isOne ? 'duplicate' : 'ok');
        const locks = await Promise.all([first, second].map(async ({ id }) => (await engine.machines.get(id))?.bmcId));
        assert.equal(locks[0] === locks[1], relation === 'siblings');
        for (const { id, name } of [first, second]) if (locks[name === 'a' ? 0 : 1]) await mirror.remove(id, name);
      }
    });
  }
});
