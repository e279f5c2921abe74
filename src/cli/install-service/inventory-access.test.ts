import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { inventoryNamespace } from '../../conditionorc/index.ts';
import { openSqliteDatabase } from '../../engine/index.ts';
import { createFakeClock, systemClock } from '../../kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../rest/index.ts';
import {
  createServerservice,
  type ServerDraft,
  type Serverservice,
  serverserviceInfo,
  serverserviceRoutes,
} from '../../serverservice/index.ts';
import { type InventoryAccess, storedInventory } from './inventory-access.ts';
import { RemoteInventoryError, remoteInventory } from './stand-alone/remote-inventory.ts';

const nowhere = '00000000-0000-4000-8000-000000000000';

async function openService(t: TestContext): Promise<Serverservice> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-inventory-'));
  const database = await openSqliteDatabase({ path: join(folder, 'engine.db'), clock: systemClock });
  t.after(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  const key = { id: randomBytes(8).toString('hex'), secret: randomBytes(32) };
  return createServerservice({ database, credentialKeys: [key] });
}

/** Scopes of a flasher, as the page for operators names them, and no more. */
const scopes = ['read:server', 'read:server:credentials', 'read:firmware-set'];

async function openRemote(t: TestContext, service: Serverservice): Promise<InventoryAccess> {
  const authorizer = createFixedAuthorizer({ flasher: { name: 'flasher', scopes } });
  const rest = createRest({ info: serverserviceInfo, authorizer });
  rest.add(...serverserviceRoutes(service));
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  const inventory = remoteInventory({ url, token: async () => 'flasher', caPem: undefined });
  t.after(async () => {
    await inventory.close();
    await rest.close();
  });
  return inventory;
}

const ways: [string, (t: TestContext, service: Serverservice) => Promise<InventoryAccess>][] = [
  ['on the store of this process', async (_t, service) => storedInventory(service)],
  ['over HTTP', openRemote],
];

for (const [way, open] of ways) {
  describe(`an inventory ${way}`, () => {
    test('knows where BMCs are and how to log in there', async (t) => {
      const service = await openService(t);
      const inventory = await open(t, service);
      const { id } = await service.servers.create({ name: 'one', facility: 'ams1', bmcAddress: 'https://192.0.2.7' });
      assert.deepEqual(await inventory.serverOf(id), { bmcAddress: 'https://192.0.2.7', machine: {} });
      assert.equal(await inventory.bmcLoginOf(id), undefined);
      await service.credentials.put(id, 'bmc', { username: 'admin', password: 'secret' });
      assert.deepEqual(await inventory.bmcLoginOf(id), { username: 'admin', password: 'secret' });
      assert.equal(await inventory.serverOf(nowhere), undefined);
    });

    test('knows the machine of a server: by its serial number, and by its id where the machine has that too', async (t) => {
      const service = await openService(t);
      const inventory = await open(t, service);
      const machineOf = async (draft: Partial<ServerDraft>) => {
        const { id } = await service.servers.create({ facility: 'ams1', ...draft });
        return { id, machine: (await inventory.serverOf(id))?.machine };
      };
      const own = await machineOf({ serial: 'SN-1' });
      assert.deepEqual(own.machine, { serial: 'SN-1' });
      assert.deepEqual((await machineOf({ serial: 'To be filled by O.E.M.' })).machine, {});
      const mark = { namespace: 'io.rackwright.onboarding', data: { origin: 'kubernetes' } };
      const onboarded = await machineOf({ attributes: [mark] });
      assert.deepEqual(onboarded.machine, { uuid: onboarded.id });
      const read = (uuid: string) => ({ namespace: inventoryNamespace, data: { system: { uuid } } });
      const uuid = '0a1b2c3d-1111-4222-8333-444455556666';
      const scanned = await machineOf({
        id: uuid,
        versionedAttributes: [read('3d2c1b0a-1111-2242-8333-444455556666')],
      });
      assert.deepEqual(scanned.machine, { uuid });
      assert.deepEqual((await machineOf({ versionedAttributes: [read(uuid)] })).machine, {});
    });

    test('knows firmware sets as a plan needs them', async (t) => {
      const service = await openService(t);
      const inventory = await open(t, service);
      const checksum = `sha256:${'ab'.repeat(32)}`;
      const known = { vendor: 'dell', component: 'bios', version: '2.1', models: ['r750'], checksums: [checksum] };
      const upstreamUrl = 'https://vendor.example/b.bin';
      const repositoryUrl = 'https://firmware.example/a.bin';
      const first = await service.firmware.create({ ...known, filename: 'a.bin', repositoryUrl, upstreamUrl });
      const second = await service.firmware.create({ ...known, component: 'bmc', filename: 'b.bin', upstreamUrl });
      const set = await service.firmwareSets.create({ name: 'spring', labels: {}, firmware: [first.id, second.id] });
      const found = await inventory.firmwareSet(set.id);
      assert.deepEqual(
        found?.map(({ id, component, url }) => [id, component, url]),
        [
          [first.id, 'bios', repositoryUrl],
          [second.id, 'bmc', upstreamUrl],
        ],
      );
      assert.deepEqual(found?.[0]?.models, ['r750']);
      assert.equal(found?.[0]?.checksum, checksum);
      assert.equal(await inventory.firmwareSet(nowhere), undefined);
    });
  });
}

test('an inventory that is away is asked again, and then let go as something that may pass', async () => {
  const clock = createFakeClock();
  const inventory = remoteInventory({ url: 'http://127.0.0.1:1', token: 'x', caPem: undefined, clock });
  let tries = 0;
  const failed = inventory.serverOf(nowhere).catch((error: unknown) => error);
  let isOver = false;
  void failed.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.advanceToNext()) tries++;
  }
  const error = await failed;
  assert.ok(error instanceof RemoteInventoryError && error.retry === 'transient', String(error));
  assert.match(error.message, /^Serverservice: GET \/api\/v1\/servers\/.*cannot be reached/);
  assert.equal(tries, 7);
  await inventory.close();
});

test('a token that is not enough is told at once and waited for, since somebody can mend it', async (t) => {
  const service = await openService(t);
  const { id } = await service.servers.create({ name: 'one', facility: 'ams1' });
  const rest = createRest({
    info: serverserviceInfo,
    authorizer: createFixedAuthorizer({ x: { name: 'x', scopes: [] } }),
  });
  rest.add(...serverserviceRoutes(service));
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => rest.close());
  const inventory = remoteInventory({ url, token: 'x', caPem: undefined, clock: createFakeClock() });
  t.after(() => inventory.close());
  const error = await inventory.bmcLoginOf(id).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof RemoteInventoryError && error.retry === 'transient', String(error));
  assert.match(error.message, /lacks the scope read:server:credentials/);
});
