import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import type { AdmissionRule } from '../../kube/index.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import { refuseCreation } from '../testing/refusal.ts';
import { type ApiRig, conditionIn, startApi, startControllers, until, uuidOf } from '../testing/rig.ts';

const system = (id: string, more: Partial<SystemReading> = {}): SystemReading => ({
  path: `/redfish/v1/Systems/${id}`,
  id: uuidOf(id),
  fallbackId: undefined,
  manufacturer: 'Lenovo',
  model: '7x21',
  sku: undefined,
  serialNumber: id,
  biosVersion: '1.0',
  powerState: 'On',
  memoryMib: undefined,
  interfaces: [],
  processors: [],
  ...more,
});

const board = {
  manufacturer: 'Lenovo',
  model: 'XCC',
  sku: undefined,
  serialNumber: 'B1',
  firmwareVersion: '1',
  powerState: 'On',
};

/** Controllers for one BMC that tells of these systems. */
async function setUp(
  t: TestContext,
  systems: readonly SystemReading[],
  rules: readonly AdmissionRule[] = [],
): Promise<ApiRig> {
  const api = await startApi(rules);
  t.after(() => api.close());
  const reading: BmcReading = { kind: 'read', board, systems, gaps: [] };
  const controllers = await startControllers(api, { readBmc: async () => reading });
  t.after(() => controllers.stop());
  const data = { username: 'YQ==', password: 'Yg==' };
  await api.bmcSecrets.create({ apiVersion: ironcoreApiVersion, kind: 'BMCSecret', metadata: { name: 'b' }, data });
  const protocol = { name: 'Redfish', port: 443 } as const;
  const spec = { access: { ip: '192.0.2.1' }, bmcSecretRef: { name: 'b' }, protocol };
  await api.bmcs.create({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata: { name: 'b' }, spec });
  return api;
}

test('a BMC one of whose Servers is refused says so, and the others are there all the same', async (t) => {
  const rule = refuseCreation('servers', (name) => (name === 'b-system-0' ? 'not this one' : undefined));
  const api = await setUp(t, [system('a'), system('z')], [rule]);
  await until(api.servers, 'b-system-1', ({ status }) => status?.state === 'Available');
  const bmc = await until(api.bmcs, 'b', ({ status }) => status?.state === 'Error');
  const ready = conditionIn(bmc, 'Ready');
  assert.equal(ready?.status, 'False');
  assert.match(ready.message, /not this one/);
  assert.equal(bmc.status?.firmwareVersion, '1');
});

test('a system that tells more than an object holds becomes a Server with as much as fits', async (t) => {
  const interfaces = Array.from({ length: 300 }, (_, at) => ({ name: at === 0 ? '' : `p${at}`, mac: 'aa' }));
  const odd = { biosVersion: `2.0 ${'x'.repeat(300)}`, interfaces, processors: [{ id: '' }, { id: 'CPU1' }] };
  const api = await setUp(t, [system('a', odd)]);
  const { status } = await until(api.servers, 'b-system-0', (each) => each.status?.state === 'Available');
  assert.match(status?.bios?.version ?? '', /^2\.0 x+$/);
  assert.deepEqual([status?.networkInterfaces?.length, status?.networkInterfaces?.[0]?.name], [256, 'p1']);
  assert.deepEqual(status?.processors, [{ id: 'CPU1' }]);
  await until(api.bmcs, 'b', (each) => each.status?.state === 'Enabled');
});
