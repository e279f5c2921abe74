import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Rig } from '../testing/rig.ts';
import type { OpenRig } from './inventory-contract.ts';
import { biosConfig } from './try-bios-config.ts';
import { firmware } from './try-firmware.ts';

interface Ids {
  readonly server: string;
  readonly firmware: string;
  readonly set: string;
  readonly event: string;
  readonly biosConfig: string;
}

/** One request that works, for each route. */
interface RouteCase {
  readonly operation: string;
  readonly path: (ids: Ids) => string;
  readonly body?: (ids: Ids) => unknown;
  readonly status: number;
  /** A body that is refused, besides those that every route refuses. */
  readonly bad?: unknown;
}

const at = (path: string) => () => path;
const event = (server: string) => ({
  ...{ type: 'firmwareInstall', target_server: server, final_state: 'succeeded' },
  ...{ event_start: '2026-01-01T00:00:00Z', event_end: '2026-01-01T00:10:00Z', final_status: { msg: 'done' } },
});

const nobody = (): Ids => ({
  ...{ server: randomUUID(), firmware: randomUUID(), set: randomUUID(), event: randomUUID() },
  biosConfig: randomUUID(),
});

const cases: readonly RouteCase[] = [
  { operation: 'listServers', path: at('/servers'), status: 200 },
  {
    operation: 'createServer',
    path: at('/servers'),
    body: () => ({ facility_code: 'a' }),
    status: 201,
    bad: { name: 'x' },
  },
  { operation: 'getServer', path: (ids) => `/servers/${ids.server}`, status: 200 },
  {
    operation: 'updateServer',
    path: (ids) => `/servers/${ids.server}`,
    body: () => ({ name: 'new' }),
    status: 200,
    bad: { facility_code: 'a b' },
  },
  { operation: 'listServerAttributes', path: (ids) => `/servers/${ids.server}/attributes`, status: 200 },
  {
    operation: 'createServerAttribute',
    path: (ids) => `/servers/${ids.server}/attributes`,
    body: () => ({ namespace: 'new', data: {} }),
    status: 201,
    bad: { namespace: 'a b', data: {} },
  },
  { operation: 'getServerAttribute', path: (ids) => `/servers/${ids.server}/attributes/ns`, status: 200 },
  {
    operation: 'putServerAttribute',
    path: (ids) => `/servers/${ids.server}/attributes/ns`,
    body: () => ({ data: {} }),
    status: 200,
    bad: { data: 7 },
  },
  { operation: 'deleteServerAttribute', path: (ids) => `/servers/${ids.server}/attributes/ns`, status: 200 },
  {
    operation: 'listServerVersionedAttributes',
    path: (ids) => `/servers/${ids.server}/versioned-attributes`,
    status: 200,
  },
  {
    operation: 'appendServerVersionedAttribute',
    path: (ids) => `/servers/${ids.server}/versioned-attributes`,
    body: () => ({ namespace: 'v', data: { a: 1 } }),
    status: 201,
    bad: { namespace: 'v', data: [] },
  },
  {
    operation: 'listServerAttributeVersions',
    path: (ids) => `/servers/${ids.server}/versioned-attributes/v`,
    status: 200,
  },
  { operation: 'listComponents', path: at('/servers/components'), status: 200 },
  { operation: 'listServerComponents', path: (ids) => `/servers/${ids.server}/components`, status: 200 },
  {
    operation: 'createServerComponents',
    path: (ids) => `/servers/${ids.server}/components`,
    body: () => [{ component_type_slug: 'nic', serial: 'n1' }],
    status: 201,
    bad: [{ serial: 'n1' }],
  },
  {
    operation: 'putServerComponents',
    path: (ids) => `/servers/${ids.server}/components`,
    body: () => [{ component_type_slug: 'nic', serial: 'n1' }],
    status: 200,
    bad: {},
  },
  { operation: 'deleteServerComponents', path: (ids) => `/servers/${ids.server}/components`, status: 200 },
  { operation: 'listComponentTypes', path: at('/server-component-types'), status: 200 },
  {
    operation: 'createComponentType',
    path: at('/server-component-types'),
    body: () => ({ name: 'New' }),
    status: 201,
    bad: { name: 'ü x' },
  },
  { operation: 'getInventory', path: (ids) => `/inventory/${ids.server}`, status: 200 },
  {
    operation: 'putInventory',
    path: (ids) => `/inventory/${ids.server}`,
    body: () => ({ components: [] }),
    status: 200,
    bad: [],
  },
  { operation: 'listFirmware', path: at('/server-component-firmwares'), status: 200 },
  {
    operation: 'createFirmware',
    path: at('/server-component-firmwares'),
    body: () => firmware({ version: 'x' }),
    status: 201,
    bad: {},
  },
  { operation: 'getFirmware', path: (ids) => `/server-component-firmwares/${ids.firmware}`, status: 200 },
  {
    operation: 'updateFirmware',
    path: (ids) => `/server-component-firmwares/${ids.firmware}`,
    body: () => firmware({ oem: true }),
    status: 200,
    bad: {},
  },
  { operation: 'listFirmwareSets', path: at('/server-component-firmware-sets'), status: 200 },
  { operation: 'listDesignedFirmwareSets', path: at('/firmware-set'), status: 200 },
  { operation: 'getFirmwareSet', path: (ids) => `/server-component-firmware-sets/${ids.set}`, status: 200 },
  { operation: 'getDesignedFirmwareSet', path: (ids) => `/firmware-set/${ids.set}`, status: 200 },
  {
    operation: 'createFirmwareSet',
    path: at('/server-component-firmware-sets'),
    body: () => ({ name: 'new' }),
    status: 201,
    bad: { name: 'x', attributes: [{ namespace: 'other', data: {} }] },
  },
  {
    operation: 'updateFirmwareSet',
    path: (ids) => `/server-component-firmware-sets/${ids.set}`,
    body: ({ firmware: id }) => ({ component_firmware_uuids: [id] }),
    status: 200,
    bad: { labels: { 'a b': 'c' } },
  },
  {
    operation: 'removeFirmwareFromSet',
    path: (ids) => `/server-component-firmware-sets/${ids.set}/remove-firmware`,
    body: () => ({ component_firmware_uuids: [] }),
    status: 200,
    bad: { component_firmware_uuids: ['x'] },
  },
  {
    operation: 'noteFirmwareSetValidation',
    path: at('/server-component-firmware-sets/validate-firmware-set'),
    body: ({ set, server }) => ({ firmware_set: set, target_server: server, performed_on: '2026-01-01T00:00:00Z' }),
    status: 200,
    bad: {},
  },
  {
    operation: 'listFirmwareSetValidations',
    path: (ids) => `/server-component-firmware-sets/${ids.set}/validations`,
    status: 200,
  },
  { operation: 'deleteFirmwareSet', path: (ids) => `/server-component-firmware-sets/${ids.set}`, status: 200 },
  { operation: 'deleteFirmware', path: (ids) => `/server-component-firmwares/${ids.firmware}`, status: 200 },
  { operation: 'getCredential', path: (ids) => `/servers/${ids.server}/credentials/bmc`, status: 200 },
  {
    operation: 'putCredential',
    path: (ids) => `/servers/${ids.server}/credentials/bmc`,
    body: () => ({ password: 'p' }),
    status: 200,
    bad: { username: 'u' },
  },
  { operation: 'deleteCredential', path: (ids) => `/servers/${ids.server}/credentials/bmc`, status: 200 },
  { operation: 'listCredentialTypes', path: at('/server-credential-types'), status: 200 },
  {
    operation: 'createCredentialType',
    path: at('/server-credential-types'),
    body: () => ({ name: 'New' }),
    status: 201,
    bad: { name: '' },
  },
  { operation: 'listBiosConfigSets', path: at('/server-bios-config-sets'), status: 200 },
  {
    operation: 'createBiosConfigSet',
    path: at('/server-bios-config-sets'),
    body: () => biosConfig({ name: 'new' }),
    status: 201,
    bad: { name: 'x', version: '1', components: [{ name: 'BIOS' }] },
  },
  { operation: 'getBiosConfigSet', path: (ids) => `/server-bios-config-sets/${ids.biosConfig}`, status: 200 },
  {
    operation: 'updateBiosConfigSet',
    path: (ids) => `/server-bios-config-sets/${ids.biosConfig}`,
    body: () => biosConfig({ version: '2' }),
    status: 200,
    bad: biosConfig({ name: ' ' }),
  },
  { operation: 'deleteBiosConfigSet', path: (ids) => `/server-bios-config-sets/${ids.biosConfig}`, status: 200 },
  { operation: 'getEvent', path: (ids) => `/events/${ids.event}`, status: 200 },
  {
    operation: 'putEvent',
    path: (ids) => `/events/${ids.event}`,
    body: ({ server }) => event(server),
    status: 200,
    bad: { ...event(randomUUID()), final_state: 'pending' },
  },
  { operation: 'listServerEvents', path: (ids) => `/events/by-server/${ids.server}`, status: 200 },
  {
    operation: 'uploadBillsOfMaterials',
    path: at('/bill-of-materials/batch-upload'),
    body: () => [{ serial_num: 'T' }],
    status: 200,
    bad: [{}],
  },
  { operation: 'findBillByAocMac', path: at('/bill-of-materials/aoc-mac-address/02:00:00:00:00:01'), status: 200 },
  { operation: 'findBillByBmcMac', path: at('/bill-of-materials/bmc-mac-address/02:00:00:00:00:02'), status: 200 },
  { operation: 'deleteServer', path: (ids) => `/servers/${ids.server}`, status: 200 },
];

/** One of each kind of record, so that each route finds something. */
async function fill({ service }: Rig): Promise<Ids> {
  const server = await service.servers.create({ facility: 'a', attributes: [{ namespace: 'ns', data: {} }] });
  await service.credentials.put(server.id, 'bmc', { username: 'u', password: 'p' });
  const { id } = await service.firmware.create({
    component: 'bios',
    vendor: 'dell',
    filename: 'f',
    version: '1',
    checksums: ['ab'.repeat(32)],
  });
  const set = await service.firmwareSets.create({ name: 'set' });
  const bios = await service.biosConfigSets.create(biosConfig({ name: 'bios' }));
  const ids = { server: server.id, firmware: id, set: set.id, event: randomUUID(), biosConfig: bios.id };
  const done = { parameters: {}, finalState: 'failed', finalStatus: {}, startedAt: 1, endedAt: 2 };
  await service.events.put({ id: ids.event, type: 'inventoryOOB', target: server.id, ...done });
  await service.billsOfMaterials.putAll([
    {
      serial: 'S',
      aocMacs: ['02:00:00:00:00:01'],
      bmcMacs: ['02:00:00:00:00:02'],
      numDefiPmi: '',
      numDefPwd: '',
      metro: '',
    },
  ]);
  return ids;
}

/** Every route: the request that works, and those that any route refuses. */
export function tryRoutes(open: OpenRig): void {
  test('every route has a case, and every case a route', async (t) => {
    const { routes } = await open(t);
    assert.deepEqual(routes.map(({ operation }) => operation).sort(), cases.map(({ operation }) => operation).sort());
  });

  test('every route asks for a token, then for permission, then for a request that it can take', async (t) => {
    const rig = await open(t);
    const ids = await fill(rig);
    for (const { operation, path, body, status, bad } of cases) {
      const route = rig.routes.find((one) => one.operation === operation);
      assert.ok(route !== undefined);
      const call = (more: { body?: unknown; token?: string } = {}, at = path(ids)) => rig.call(route.method, at, more);
      const sent = body === undefined ? {} : { body: body(ids) };
      assert.equal((await call({ ...sent, token: '' })).status, 401, operation);
      assert.equal((await call({ ...sent, token: 'stranger' })).status, 401, operation);
      const refused = await call({ ...sent, token: 'none' });
      assert.equal(refused.status, 403, operation);
      assert.match(refused.body.message, /lacks the scope/);
      if (route.method !== 'GET') assert.equal((await call({ ...sent, token: 'reader' })).status, 403, operation);
      assert.equal((await call(sent, `${path(ids)}?unheard=of`)).status, 400, operation);
      if (body !== undefined) assert.equal((await call()).status, 400, `${operation} without a body`);
      if (bad !== undefined)
        assert.equal((await call({ body: bad })).status, 400, `${operation} ${JSON.stringify(bad)}`);
      const done = await call(sent);
      assert.equal(done.status, status, `${operation} ${JSON.stringify(done.body)}`);
    }
  });

  test('every path with an id is 404 for an id that nobody has, and 400 for what is none', async (t) => {
    const rig = await open(t);
    const none = nobody();
    for (const { operation, path, body } of cases) {
      const route = rig.routes.find((one) => one.operation === operation);
      if (route === undefined || !route.path.includes(':uuid')) continue;
      const sent = body === undefined ? {} : { body: body(none) };
      assert.equal((await rig.call(route.method, path(none), sent)).status, 404, operation);
      const broken = path({ server: 'x', firmware: 'x', set: 'x', event: 'x', biosConfig: 'x' });
      assert.equal((await rig.call(route.method, broken, sent)).status, 400, operation);
    }
  });

  test('a body of 10 MiB is 413 at every route that takes one, and nothing is stored', async (t) => {
    const rig = await open(t);
    const large = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) });
    const before = await counts(rig);
    for (const { operation, path, body } of cases) {
      const route = rig.routes.find((one) => one.operation === operation);
      if (route === undefined || body === undefined) continue;
      const answer = await fetch(`${rig.url}/api/v1${path(nobody())}`, {
        method: route.method,
        headers: { authorization: 'Bearer all', 'content-type': 'application/json' },
        body: large,
      }).catch((error: Error) => error);
      // The connection is closed while it still sends, so a client may see that instead of the answer.
      if (!(answer instanceof Error)) assert.equal(answer.status, 413, operation);
    }
    assert.deepEqual(await counts(rig), before);
  });

  test('what happened to a server is kept, also when it is told twice, and read after the server is gone', async (t) => {
    const rig = await open(t);
    const { id } = await rig.service.servers.create({ facility: 'a' });
    const unit = randomUUID();
    for (const type of ['firmwareInstall', 'inventoryOOB', 'firmwareInstall'])
      assert.equal((await rig.call('PUT', `/events/${unit}`, { body: { ...event(id), type } })).status, 200);
    assert.equal((await rig.call('GET', `/events/${unit}`)).body.records.length, 2);
    const backwards = { ...event(id), event_end: '2025-01-01T00:00:00Z' };
    assert.match((await rig.call('PUT', `/events/${unit}`, { body: backwards })).body.error, /ends before it begins/);
    await rig.call('DELETE', `/servers/${id}`);
    const { records } = (await rig.call('GET', `/events/by-server/${id}`)).body;
    assert.deepEqual(
      records.map((one: { event_id: string }) => one.event_id),
      [unit, unit],
    );
  });
}

async function counts(rig: Rig): Promise<unknown> {
  const tables = ['servers', 'attributes', 'components', 'firmware', 'firmware_sets', 'credentials', 'events', 'boms'];
  return rig.database.read(async (tx) => {
    const all = [];
    for (const table of tables) all.push(await tx.first(`SELECT count(*) AS n FROM inventory_${table}`));
    return all;
  });
}
