import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import type { InventoryMirror, MirroredServer } from '../ports.ts';
import { startApi, startControllers, uuidOf } from '../testing/rig.ts';

const protocol = { name: 'Redfish', port: 443 } as const;
const bmcSecretRef = { name: 'none' };
const address = '192.0.2.7';

test('a Server that names its BMC by address moves to the lock of a BMC object that comes later, once the work on it is over', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const told: MirroredServer[] = [];
  const waiting = new Set<() => void>();
  let refusals = 2;
  const mirror: InventoryMirror = {
    async put(server) {
      if (server.bmcId === 'b' && refusals-- > 0) throw new Error('work on it goes on');
      told.push(server);
      for (const ring of waiting) ring();
      return { kind: 'ok' };
    },
    async remove() {},
  };
  const until = async (bmcId: string): Promise<void> => {
    while (told.at(-1)?.bmcId !== bmcId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
    }
  };
  const controllers = await startControllers(api, { isOnboarding: true, mirror });
  t.after(() => controllers.stop());
  const spec = { systemUUID: uuidOf('one'), bmc: { address, protocol, bmcSecretRef } };
  await api.servers.create({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name: 'one' }, spec });
  const status = { manufacturer: 'Dell Inc.', model: 'R750', serialNumber: 'SN1' };
  await api.servers.status.patch({ name: 'one' }, { type: 'merge', body: { status } });
  await until(`${address}:443`);
  await api.bmcs.create({
    apiVersion: ironcoreApiVersion,
    kind: 'BMC',
    metadata: { name: 'b' },
    spec: { access: { ip: address }, bmcSecretRef, protocol },
  });
  await until('b');
  assert.ok(refusals < 0);
  await api.bmcs.delete({ name: 'b' });
  await until(`${address}:443`);
});
