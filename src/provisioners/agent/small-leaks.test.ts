import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handDriven, handOrder } from './testing/hand-driven.ts';
import { hostOf, inventoryOf, macOf, startedAgents } from './testing/started-agents.ts';

test('what an agent has to say about its failure is told without passwords and tokens of addresses', async (t) => {
  const started = await startedAgents(t);
  const { id, token, ask, provision } = await handDriven(started, 1);
  await provision();
  const command = await ask();
  const error = { message: 'GET https://user:hunter2@files/a.raw?sig=s3cret: 403' };
  await started.ask('PUT', `/${id}/command/${String(command.body.id)}`, { token, body: { status: 'FAILED', error } });
  const failed = await provision();
  const message = failed.kind === 'failed' ? failed.message : assert.fail(failed.kind);
  assert.match(message, /https:\/\/files\/a\.raw/);
  assert.doesNotMatch(message, /hunter2|s3cret/);
});

test('the address of an image is kept and told without its password, and still recognised', async (t) => {
  const started = await startedAgents(t);
  const { provisioner } = await handDriven(started, 1);
  const deployment = {
    image: { url: 'https://user:hunter2@files/a.raw', checksum: 'a'.repeat(64) },
    bootMode: 'UEFI',
  } as const;
  await provisioner.adopt({ isRetry: false, deployment });
  assert.equal((await provisioner.provision({ ...handOrder, deployment })).kind, 'done');
  const other = await provisioner.provision(handOrder);
  assert.doesNotMatch(other.kind === 'failed' ? other.message : assert.fail(other.kind), /hunter2/);
  const rows = await started.database.read((tx) => tx.all('SELECT * FROM agent_machines'));
  assert.ok(!JSON.stringify(rows).includes('hunter2'));
  const attempted = { image: { url: deployment.image.url } };
  assert.equal((await provisioner.deprovision({ isRetry: false, cleaningMode: 'metadata', attempted })).kind, 'busy');
});

test('a machine that was removed is not told of any more to whoever goes by an old list', async (t) => {
  const started = await startedAgents(t);
  const { id, provisioner } = await handDriven(started, 1);
  await provisioner.remove();
  assert.deepEqual(await started.agents.source.read(id), { kind: 'done', value: undefined });
});

test('a machine that was removed is told so also after many others have come', async (t) => {
  const started = await startedAgents(t, { limits: { unclaimed: 3 } });
  const { ask, provisioner } = await handDriven(started, 1);
  await provisioner.remove();
  for (const number of [2, 3, 4, 5, 6]) {
    await started.clock.advance(1);
    await started.introduce(inventoryOf(number));
  }
  assert.equal((await ask()).status, 410);
});

test('a machine that only its host has told of is given to one with its serial number alone', async (t) => {
  const started = await startedAgents(t);
  const marks = { macs: [macOf(1, 0)], serialNumber: 'S1' };
  const it = started.agents.provisioners.of({ ...hostOf(1, 'agent-gone'), marks });
  assert.equal((await it.importHost?.({ isRetry: false, current: handOrder.deployment }))?.kind, 'done');
  assert.equal((await it.deprovision({ isRetry: false, cleaningMode: 'metadata' })).kind, 'busy');
  for (const serial of ['S2', undefined]) {
    const stranger = inventoryOf(1, { system_vendor: { serial_number: serial } });
    assert.equal((await started.introduce(stranger)).status, 409, serial);
  }
  assert.equal((await started.introduce(inventoryOf(1))).status, 200);
});
