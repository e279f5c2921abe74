import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { ironcoreApiVersion } from '../../api/index.ts';
import { createGates } from '../../bmc/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { InventoryMirror, MirroredServer } from '../ports.ts';
import { type ApiRig, conditionIn, startApi, startControllers, until, uuidOf } from '../testing/rig.ts';
import { createBmcReader } from './read-bmc.ts';

interface Rig {
  readonly api: ApiRig;
  readonly dataCentre: DataCentre;
  readonly mirrored: Map<string, MirroredServer>;
  /** Makes the BMC object of a simulated BMC. */
  addBmc(index: number, more?: { name?: string; labels?: Record<string, string>; password?: string }): Promise<void>;
}

async function setUp(t: TestContext): Promise<Rig> {
  const dataCentre = await startDataCentre({
    seed: 3,
    servers: 3,
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    personalities: ['dell-idrac9', 'hpe-ilo5', 'lenovo-xcc'],
    speed: 1000,
  });
  t.after(() => dataCentre.close());
  const api = await startApi();
  t.after(() => api.close());
  const gates = createGates({ clock: systemClock });
  const mirrored = new Map<string, MirroredServer>();
  const mirror: InventoryMirror = {
    async put(server) {
      mirrored.set(server.name, server);
      return { kind: 'ok' };
    },
    async remove(_, name) {
      mirrored.delete(name);
    },
  };
  const readBmc = createBmcReader({ gates, clock: systemClock, trustOf: () => ({ kind: 'system', allowsHttp: true }) });
  const controllers = await startControllers(api, { isOnboarding: true, readBmc, mirror });
  t.after(async () => {
    await controllers.stop();
    await gates.close();
  });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    api,
    dataCentre,
    mirrored,
    async addBmc(index, more = {}) {
      const bmc = dataCentre.bmcs[index] ?? assert.fail('no such BMC');
      const name = more.name ?? `bmc${index}`;
      const url = new URL(bmc.url);
      const data = { username: base64(bmc.username), password: base64(more.password ?? bmc.password) };
      await api.bmcSecrets.create({ apiVersion: ironcoreApiVersion, kind: 'BMCSecret', metadata: { name }, data });
      const access = { ip: url.hostname };
      const protocol = { name: 'Redfish', port: Number(url.port), scheme: 'http' } as const;
      const metadata = { name, labels: more.labels ?? {} };
      const spec = { access, bmcSecretRef: { name }, protocol };
      await api.bmcs.create({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata, spec });
    },
  };
}

test('a BMC becomes a Server, which gets its ServerFirmware, its DiscoveredFirmware and its place in the inventory', async (t) => {
  const { api, dataCentre, mirrored, addBmc } = await setUp(t);
  await addBmc(0, { labels: { env: 'prod' } });
  const { hardware } = dataCentre.bmcs[0]?.machine ?? assert.fail('no machine');
  const server = await until(api.servers, 'bmc0-system-0', ({ status }) => status?.networkInterfaces !== undefined);
  assert.equal(server.spec.systemUUID, hardware.uuid.toLowerCase());
  assert.equal(server.status?.model, hardware.model);
  assert.equal(server.status?.serialNumber, hardware.serial);
  assert.equal(server.status?.powerState, 'On');
  assert.equal(server.status?.state, 'Available');
  assert.equal(server.status?.bios?.version, server.status?.biosVersion);
  assert.equal(server.metadata.labels?.env, 'prod');
  assert.equal(server.metadata.ownerReferences?.[0]?.name, 'bmc0');
  const bmc = await until(api.bmcs, 'bmc0', ({ status }) => status?.state === 'Enabled');
  assert.equal(conditionIn(bmc, 'Ready')?.status, 'True');
  assert.notEqual(bmc.status?.firmwareVersion, undefined);

  const firmware = await until(api.firmwares, 'bmc0-system-0', ({ spec }) => spec.bios !== undefined);
  assert.equal(firmware.metadata.labels?.env, 'prod');
  assert.equal(firmware.spec.bios?.version, server.status?.biosVersion);
  const { items } = await api.discovered.list();
  assert.deepEqual(
    items.map(({ spec }) => spec.model),
    [hardware.model],
  );

  // Labels stay in step, in both directions of change.
  const labels = { env: null, rack: 'r1' };
  await api.servers.patch({ name: 'bmc0-system-0' }, { type: 'merge', body: { metadata: { labels: { rack: 'r1' } } } });
  await until(api.firmwares, 'bmc0-system-0', ({ metadata }) => metadata.labels?.rack === 'r1');
  await api.bmcs.patch({ name: 'bmc0' }, { type: 'merge', body: { metadata: { labels: { env: labels.env } } } });
  await until(
    api.firmwares,
    'bmc0-system-0',
    ({ metadata }) => metadata.labels?.env === undefined && metadata.labels?.rack === 'r1',
  );
  assert.equal(mirrored.get('bmc0-system-0')?.id, server.spec.systemUUID);
});

test('a second BMC object for the same machine gives a Server that says so and does nothing', async (t) => {
  const { api, addBmc } = await setUp(t);
  await addBmc(1);
  await until(api.firmwares, 'bmc1-system-0', () => true);
  await addBmc(1, { name: 'second' });
  const twin = await until(
    api.servers,
    'second-system-0',
    (each) => conditionIn(each, 'DuplicateMachine')?.status === 'True',
  );
  assert.match(conditionIn(twin, 'DuplicateMachine')?.message ?? '', /Server bmc1-system-0 claims/);
  await assert.rejects(api.firmwares.get({ name: 'second-system-0' }), { code: 404 });
  await api.servers.delete({ name: 'bmc1-system-0' });
});

test('what keeps a BMC from being read is told, and an opted-out one is left alone', async (t) => {
  const { api, addBmc } = await setUp(t);
  await addBmc(0, { password: 'wrong' });
  const refused = await until(api.bmcs, 'bmc0', ({ status }) => status?.state === 'Error');
  assert.equal(conditionIn(refused, 'Ready')?.reason, 'CredentialsRefused');
  assert.doesNotMatch(conditionIn(refused, 'Ready')?.message ?? '', /wrong/);
  await addBmc(1, { labels: { 'metal.ironcore.dev/exclude': 'true' } });
  const excluded = await until(api.bmcs, 'bmc1', ({ status }) => status?.state === 'Error');
  assert.equal(conditionIn(excluded, 'Ready')?.reason, 'Excluded');
  assert.equal((await api.servers.list()).items.length, 0);
  await addBmc(2, { labels: { 'metal.ironcore.dev/exclude': 'false' } });
  await until(api.firmwares, 'bmc2-system-0', () => true);
});

test('a Server that says itself where its BMC is is read and taken on like any other', async (t) => {
  const { api, dataCentre, mirrored } = await setUp(t);
  const bmc = dataCentre.bmcs[0] ?? assert.fail('no BMC');
  const { hardware } = bmc.machine;
  const url = new URL(bmc.url);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const inline = (uuid: string) => ({
    systemUUID: uuid,
    bmc: {
      address: url.hostname,
      protocol: { name: 'Redfish', port: Number(url.port), scheme: 'http' } as const,
      bmcSecretRef: { name: 'inline' },
    },
  });
  const kind = { apiVersion: ironcoreApiVersion, kind: 'Server' } as const;
  await api.servers.create({ ...kind, metadata: { name: 'one', labels: { env: 'lab' } }, spec: inline(hardware.uuid) });
  const waiting = await until(api.servers, 'one', (each) => conditionIn(each, 'Ready') !== undefined);
  assert.equal(conditionIn(waiting, 'Ready')?.reason, 'SecretNotFound');
  const data = { username: base64(bmc.username), password: base64(bmc.password) };
  await api.bmcSecrets.create({
    apiVersion: ironcoreApiVersion,
    kind: 'BMCSecret',
    metadata: { name: 'inline' },
    data,
  });
  const server = await until(
    api.servers,
    'one',
    (each) => conditionIn(each, 'Ready')?.status === 'True' && each.spec.systemURI !== undefined,
  );
  assert.deepEqual(
    [server.status?.model, server.status?.serialNumber, server.status?.state],
    [hardware.model, hardware.serial, 'Available'],
  );
  assert.equal(server.status?.bios?.version, server.status?.biosVersion);
  assert.notEqual(server.status?.networkInterfaces, undefined);
  const firmware = await until(api.firmwares, 'one', ({ spec }) => spec.bios !== undefined);
  assert.equal(firmware.metadata.labels?.env, 'lab');
  const { items } = await api.discovered.list();
  assert.equal(items.length, 1);
  // Under the very names by which it would be known through a BMC object.
  const told = mirrored.get('one');
  assert.equal(told?.credentials?.username, bmc.username);
  assert.equal(told?.bmcId, `${url.hostname}:${url.port}`);

  const other = { ...kind, metadata: { name: 'other' }, spec: inline('11111111-2222-4333-8444-555555555555') };
  await api.servers.create(other);
  const lost = await until(api.servers, 'other', (each) => conditionIn(each, 'Ready')?.reason === 'SystemNotFound');
  assert.match(conditionIn(lost, 'Ready')?.message ?? '', new RegExp(hardware.uuid, 'i'));
  assert.equal(lost.status?.model, undefined);
});

test('a Server with an address that is none, or that is left out, has nothing asked of its BMC', async (t) => {
  const { api, mirrored } = await setUp(t);
  const protocol = { name: 'Redfish', port: 443 } as const;
  const put = (name: string, address: string, labels: Record<string, string> = {}) => {
    const spec = {
      systemUUID: uuidOf(name),
      bmc: { address, protocol, bmcSecretRef: { name: 'none' } },
    };
    return api.servers.create({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name, labels }, spec });
  };
  for (const [at, address] of ['root:calvin@10.0.0.1', '10.0.0.1/redfish', 'a b'].entries()) {
    await put(`bad${at}`, address);
    const refused = await until(api.servers, `bad${at}`, (each) => conditionIn(each, 'Ready') !== undefined);
    assert.equal(conditionIn(refused, 'Ready')?.reason, 'BadAddress');
  }
  await put('out', '192.0.2.1', { 'metal.ironcore.dev/exclude': 'true' });
  await put('last', 'a b');
  await until(api.servers, 'last', (each) => conditionIn(each, 'Ready') !== undefined);
  assert.equal((await api.servers.get({ name: 'out' })).status, undefined);
  assert.equal(mirrored.size, 0);
});
