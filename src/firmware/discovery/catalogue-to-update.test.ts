import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import { createCatalogReader } from '../../catalogs/index.ts';
import { createEngine, createLocalBus, openSqliteDatabase } from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createServerservice } from '../../serverservice/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import {
  createEmbeddedLauncher,
  createKubeNames,
  firmwareDiscover,
  kindOf,
  startUpdateService,
} from '../../update-service/index.ts';
import { createFirmwareReports } from '../reports/report-writer.ts';
import { conditionIn, putServer, startApi, startControllers, until, uuidOf } from '../testing/rig.ts';

const page = { limit: 100, page: 1, orderBy: undefined, isDescending: false };
const hex = (digit: string): string => `sha256:${digit.repeat(64)}`;

function entry(version: string, checksum: string, more: object = {}) {
  const common = { manufacturer: 'Dell Inc.', models: ['PowerEdge R640'], component: 'bios' };
  return { ...common, version, url: `https://images.test/bios-${version}.bin`, checksums: [checksum], ...more };
}

const ssd = {
  component: 'drive',
  manufacturer: 'Intel',
  serverManufacturer: 'Dell',
  version: '1.1',
  url: 'https://images.test/ssd.bin',
  checksums: [hex('e')],
};

/** Names no model but a machine type. */
const lenovoIndex = {
  Updates: [
    {
      Payload: 'lnvgy_fw_uefi_ive178d-3.50_anyos_32-64.uxz',
      Oem: { Inventory: [{ SoftwareId: 'UEFI-IVE1-3', Version: 'IVE178D-3.50' }] },
    },
  ],
  Oem: { ApplicableMachineTypes: ['7X06'] },
};

async function setUp(t: TestContext) {
  const api = await startApi();
  t.after(() => api.close());
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-catalogue-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const clock = systemClock;
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const kinds = [...flasherKinds({ leaseMs: 60_000, requestDeadlineMs: 1000 }), firmwareDiscover];
  const engine = await createEngine({ database, kinds, clock, bus: createLocalBus({}) });
  const credentialKeys = [{ id: 'k', secret: randomBytes(32) }] as const;
  const service = await createServerservice({ database, machines: engine.machines, credentialKeys });
  const lenovo = join(folder, 'lenovo');
  await mkdir(lenovo);
  await writeFile(join(lenovo, 'bundle_index.json'), JSON.stringify(lenovoIndex));
  const sources = [
    { format: 'plain', location: folder },
    { format: 'lenovo', location: lenovo },
  ] as const;
  const reader = createCatalogReader({});
  const logger = silentLogger;
  const updates = await startUpdateService({
    ...{ engine, database, service, sources, clock, logger },
    names: createKubeNames({ client: api.client, clock }),
    strategy: { name: 'redfish' },
    authorizer: { authorize: async () => assert.fail('nobody calls') } as never,
    mirror: createFirmwareReports({ client: api.client, clock, random: Math.random }),
    random: Math.random,
    metrics: noMetrics,
    runner: {
      launcher: createEmbeddedLauncher({ discovery: { reader, sources }, catalogue: service.firmware, clock }),
      facilities: ['fc1'],
      concurrency: 1,
      kinds: [kindOf.discovery],
    },
  });
  const rig = await startControllers(api, { updateService: updates.client });
  const close = async (): Promise<void> => {
    await rig.stop();
    await updates.stop({ graceMs: 0 });
    await reader.close();
    await engine.close();
    await database.close();
  };
  const write = (entries: readonly object[]): Promise<void> => {
    const text = JSON.stringify({ apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware: entries });
    return writeFile(join(folder, 'catalogue.json'), text);
  };
  const catalogue = async (): Promise<string[]> =>
    (await service.firmware.list({}, page)).records
      .map(({ vendor, component, version, checksum }) => `${vendor} ${component} ${version} ${checksum.slice(7, 8)}`)
      .sort();
  return { api, engine, service, updates, write, catalogue, close };
}

test('from a catalogue file to an update: what is found is shown, catalogued and resolved, and what contradicts it is refused as a whole', async (t) => {
  const { api, engine, service, updates, write, catalogue, close } = await setUp(t);
  try {
    await write([entry('2.9.0', hex('a')), entry('2.10.0', hex('b')), entry('2.11.0', hex('c')), ssd]);
    const spec = { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 2 };
    const metadata = { name: 'r640' };
    await api.discovered.create({ apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata, spec });
    const found = await until(api.discovered, 'r640', ({ status }) => status?.lastDiscoveryTime !== undefined);
    assert.deepEqual(found.status?.bios, { versions: ['2.10.0', '2.11.0'] });
    assert.deepEqual(
      found.status?.firmwares?.map(({ name, versions }) => [name, versions]),
      [['drive', ['1.1']]],
    );
    // versionsToStore limits what the status lists, not what can be installed.
    const first = ['dell bios 2.10.0 b', 'dell bios 2.11.0 c', 'dell bios 2.9.0 a', 'intel drive 1.1 e'];
    assert.deepEqual(await catalogue(), first);

    await putServer(api, 'alpha', { status: { manufacturer: 'Dell Inc.', model: 'PowerEdge R640' } });
    const machine = { id: uuidOf('alpha'), facility: 'fc1', vendor: 'Dell Inc.', model: 'PowerEdge R640' };
    await service.servers.create({ ...machine, name: 'alpha', bmcAddress: 'https://192.0.2.1' });
    const firmwares = [
      { name: 'UEFI', manufacturer: 'DELL', version: '2.11.0' },
      { name: 'ssd', manufacturer: 'Intel(R)', version: '1.1' },
    ];
    const { job } = await updates.desks.requests.update({ server: 'alpha', firmwares, client: 'test' });
    const frozen = job.parameters.firmwares as { component: string; URL: string; checksum: string }[];
    assert.deepEqual(frozen.map(({ component, URL, checksum }) => [component, URL, checksum]).sort(), [
      ['bios', 'https://images.test/bios-2.11.0.bin', hex('c')],
      ['drive', 'https://images.test/ssd.bin', hex('e')],
    ]);

    // The same version with another checksum, beside a new version: neither is taken.
    const refused: [string, readonly object[], RegExp][] = [
      ['changed', [entry('2.11.0', hex('d')), entry('2.12.0', hex('f'))], /bios 2\.11\.0 .*would be sha256:d/],
      ['two', [entry('2.13.0', hex('1')), entry('2.13.0', hex('2'))], /bios 2\.13\.0 .*would be sha256:/],
      ['hostile', [entry('2.12.0', hex('f'), { url: '../../etc/passwd' })], /refused/],
    ];
    for (const [at, [why, entries, message]] of refused.entries()) {
      await write(entries);
      await updates.desks.requests.discover({ name: 'r640', client: why });
      const failed = await until(api.discovered, 'r640', ({ status }) => status?.failedRuns?.failed === at + 1);
      assert.match(failed.status?.failedRuns?.message ?? '', message, why);
      const told = await until(api.discovered, 'r640', (each) => conditionIn(each, 'Ready')?.status === 'False');
      assert.equal(conditionIn(told, 'Ready')?.reason, 'DiscoveryFailed');
      assert.deepEqual([failed.status?.bios, await catalogue()], [found.status?.bios, first], why);
    }

    // What is right again is taken again, and the catalogue keeps what updates may still be asked for.
    await write([entry('2.11.0', hex('c')), entry('2.12.0', hex('f'))]);
    await updates.desks.requests.discover({ name: 'r640', client: 'test' });
    const again = await until(api.discovered, 'r640', ({ status }) => status?.bios?.versions.at(-1) === '2.12.0');
    assert.equal(again.status?.failedRuns, undefined);
    assert.equal((await engine.list({ kind: kindOf.update })).conditions.length, 1);
  } finally {
    await close();
  }
});

test('a model that an image is found for takes it from no other model', async (t) => {
  const { api, service, write, close } = await setUp(t);
  try {
    await write([{ ...ssd, models: undefined }]);
    for (const model of ['PowerEdge R640', 'PowerEdge R740']) {
      const name = model.toLowerCase().replace(' ', '-');
      const spec = { manufacturer: 'Dell', model };
      await api.discovered.create({
        apiVersion: ironcoreApiVersion,
        kind: 'DiscoveredFirmware',
        metadata: { name },
        spec,
      });
      await until(api.discovered, name, ({ status }) => status?.lastDiscoveryTime !== undefined);
    }
    const { records } = await service.firmware.list({ vendor: 'intel' }, page);
    assert.deepEqual(
      records.map(({ models }) => models),
      [['PowerEdge R640', 'PowerEdge R740']],
    );
  } finally {
    await close();
  }
});

test('an index of Lenovo, which names machine types alone, is found by the model of the servers that show them', async (t) => {
  const { api, write, close } = await setUp(t);
  try {
    await write([]);
    const [manufacturer, model] = ['Lenovo', 'ThinkSystem SR650'];
    await putServer(api, 'lima', { status: { manufacturer, model, sku: '7X06CTO1WW' } });
    const spec = { manufacturer, model, versionsToStore: 2 };
    const metadata = { name: 'sr650' };
    await api.discovered.create({ apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata, spec });
    const found = await until(api.discovered, 'sr650', ({ status }) => status?.lastDiscoveryTime !== undefined);
    assert.deepEqual(found.status?.bios, { versions: ['IVE178D-3.50'] });
  } finally {
    await close();
  }
});
