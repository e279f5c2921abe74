import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../engine/index.ts';
import { createInventoryPort, runConditionOrc } from './index.ts';
import { startBoth } from './testing/both-services.ts';
import { serverA } from './testing/orc-rig.ts';

const parameters = { facility: 'fc1', 'bmc-ip': '127.0.0.9', 'bmc-user': 'root', 'bmc-pwd': 'calvin', vendor: 'Dell' };

test('a server is enrolled, gets a firmware set installed, and its conditions are its attributes', async (t) => {
  const { service, call, engine, database, inventory } = await startBoth(t);
  const enrolled = await call('POST', `/serverEnroll/${serverA}`, { parameters });
  assert.equal(enrolled.status, 200, JSON.stringify(enrolled.body));
  const credential = await call('GET', `/servers/${serverA}/credentials/bmc`);
  assert.match(JSON.stringify(credential.body), /calvin/);
  const firmware = await service.firmware.create({
    component: 'bios',
    vendor: 'dell',
    version: '2.1.0',
    filename: 'bios.bin',
    models: ['r750'],
    checksums: [`sha256:${'a'.repeat(64)}`],
    repositoryUrl: 'http://127.0.0.1:1/bios.bin',
  });
  const set = await service.firmwareSets.create({ name: 'r750', firmware: [firmware.id] });
  const install = await call('POST', `/servers/${serverA}/condition`, {
    kind: 'FirmwareInstall',
    'firmware-set-id': set.id,
  });
  assert.equal(install.status, 200, JSON.stringify(install.body));
  const record = install.body.record as JsonObject & { parameters: { firmwares: JsonObject[] } };
  assert.equal(record.parameters.firmwares[0]?.URL, 'http://127.0.0.1:1/bios.bin');
  assert.equal(record.parameters.firmwares[0]?.checksum, `sha256:${'a'.repeat(64)}`);
  const attribute = await call('GET', `/servers/${serverA}/attributes/rackwright.io.condition.firmwareInstall`);
  assert.equal(attribute.status, 200, JSON.stringify(attribute.body));
  const data = (attribute.body.record as JsonObject).data as JsonObject;
  assert.deepEqual([data.kind, data.state, data.lock], ['firmwareInstall', 'pending', record.lock]);
  const busy = await call('DELETE', `/servers/${serverA}`);
  assert.equal(busy.status, 409);
  assert.equal(busy.body.code, 'serverBusy');
  await call('POST', `/conditions/${String(record.id)}/cancel`, {});

  const ended = Promise.withResolvers<void>();
  const events: typeof service.events = {
    ...service.events,
    async put(event) {
      const outcome = await service.events.put(event);
      if (event.type === 'firmwareInstall') ended.resolve();
      return outcome;
    },
  };
  const loop = await runConditionOrc({ engine, database, inventory: createInventoryPort({ ...service, events }) });
  t.after(() => loop.stop());
  await ended.promise;
  const [event] = await service.events.get(String(record.id));
  assert.equal(event?.finalState, 'failed');
  assert.match(JSON.stringify(event?.finalStatus), /cancelled by dustin/);

  await call('POST', `/servers/${serverA}/condition/inventoryOOB/cancel`, {});
  await inventory.recordValidation({ setId: set.id, serverId: serverA, at: 1 });
  assert.equal((await call('DELETE', `/servers/${serverA}`)).status, 200);
  assert.equal((await call('GET', `/servers/${serverA}`)).status, 404);
  assert.equal(await engine.machines.get(serverA), undefined);
});

test('a second server with the same BMC is refused, and nothing of it stays', async (t) => {
  const { call } = await startBoth(t);
  await call('POST', `/serverEnroll/${serverA}`, { parameters });
  const second = await call('POST', '/serverEnroll', { parameters });
  assert.equal(second.status, 409);
  assert.match(String(second.body.message), /DuplicateMachine/);
  const servers = await call('GET', '/servers');
  assert.equal(servers.body.total_record_count, 1);
});

test('parameters that the flasher does not know are refused with its reasons', async (t) => {
  const { call } = await startBoth(t);
  await call('POST', `/serverEnroll/${serverA}`, { parameters });
  const image = { vendor: 'dell', version: '1', component: 'toaster', URL: 'http://127.0.0.1:1/x' };
  const answer = await call('POST', `/servers/${serverA}/firmwareInstall`, { firmwares: [image], foo: 1 });
  assert.equal(answer.status, 400);
  assert.match(String(answer.body.error), /there is no parameter foo/);
  const other = await call('POST', `/servers/${serverA}/firmwareInstall`, { firmwares: [image] });
  assert.match(String(other.body.error), /no component toaster.*checksum is missing/);
});

test('an end whose status no database would take is in the history, and so are those after it', async (t) => {
  const { call, engine, database, inventory, service } = await startBoth(t);
  await call('POST', `/serverEnroll/${serverA}`, { parameters });
  await engine.worker.online({ id: 'w1', kinds: ['inventoryOOB'], facilities: ['fc1'] });
  const nested = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`) as JsonValue;
  const ids: string[] = [];
  for (const status of [{ 'k\ud83d': ['a\ud83d', 'b\0'], nested }, { msg: 'plain' }]) {
    const { body } = await call('POST', `/servers/${serverA}/condition`, { kind: 'inventoryOOB' });
    ids.push(String((body.record as JsonObject).id));
    const [lease] = await engine.worker.lease('w1', { max: 1, waitMs: 0 });
    assert.ok(lease);
    const held = { conditionId: lease.condition.id, token: lease.token };
    await engine.worker.report(held, { state: 'succeeded', status });
  }
  const ended = Promise.withResolvers<void>();
  const recordEnd: typeof inventory.recordEnd = async (end) => {
    await inventory.recordEnd(end);
    if (end.id === ids[1]) ended.resolve();
  };
  const loop = await runConditionOrc({ engine, database, inventory: { ...inventory, recordEnd } });
  t.after(() => loop.stop());
  await ended.promise;
  const [event] = await service.events.get(String(ids[0]));
  assert.deepEqual(event?.finalStatus['k\ufffd'], ['a\ufffd', 'b']);
  assert.match(JSON.stringify(event?.finalStatus.nested), /^\[+"\[deep\]"\]+$/);
});
