import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createFixedAuthorizer } from '../../rest/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import { serveRpc } from '../rpc/serve-rpc.ts';
import { serverA, serverB, setUpUpdates, type UpdateRig } from '../testing/update-rig.ts';
import { createInProcessClient } from './in-process-client.ts';
import type { UpdateClient } from './request-outcome.ts';
import { createRpcClient } from './rpc-client.ts';

const never = new AbortController().signal;
const target = { name: 'alpha', systemUUID: serverA };
const bios = (version: string) => [{ name: 'bios', manufacturer: 'Dell Inc.', version }];

const ways: Record<string, (t: TestContext, rig: UpdateRig) => Promise<UpdateClient>> = {
  'in this process': async (_, { desks }) => createInProcessClient({ desks, client: 'c', logger: silentLogger }),
  'over gRPC': async (t, { desks }) => {
    const authorizer = createFixedAuthorizer({ all: { name: 'dustin', scopes: ['read', 'write'] } });
    const listener = await serveRpc({
      ...{ desks, authorizer, logger: silentLogger, metrics: noMetrics },
      host: '127.0.0.1',
      port: 0,
    });
    t.after(() => listener.close());
    return createRpcClient({ url: listener.url, token: async () => 'all' });
  },
};

for (const [way, open] of Object.entries(ways)) {
  test(`${way}: controllers are told what became of their requests`, async (t) => {
    const rig = await setUpUpdates(t, { scan: { pending: 1 } });
    const kinds = ['firmwareInstall', 'inventoryOOB', 'firmwareDiscover'];
    await rig.engine.worker.online({ id: 'w1', kinds, facilities: ['fc1'] });
    await rig.addFirmware('2.10.0');
    await rig.addFirmware('2.11.0');
    const client = await open(t, rig);
    const accepted = await client.update({ server: target, firmwares: bios('2.10.0') }, never);
    assert.equal(accepted.kind, 'accepted');
    const jobId = 'jobId' in accepted ? accepted.jobId : undefined;
    const again = await client.update({ server: target, firmwares: bios('2.10.0') }, never);
    assert.deepEqual(again, { kind: 'already-scheduled', jobId });
    const other = await client.update({ server: target, firmwares: bios('2.11.0') }, never);
    assert.deepEqual([other.kind, 'jobId' in other ? other.jobId : ''], ['conflict', jobId]);
    const missing = await client.update({ server: target, firmwares: bios('9') }, never);
    assert.equal(missing.kind, 'firmware-not-found');
    const unknown = { name: 'x', systemUUID: '0c000000-0000-4000-8000-00000000000c' };
    const refused = await client.scan({ server: unknown }, never);
    assert.deepEqual([refused.kind, 'code' in refused ? refused.code : ''], ['refused', 'ServerNotFound']);
    assert.equal((await client.scan({ server: target }, never)).kind, 'accepted');
    const full = await client.scan({ server: { name: 'beta', systemUUID: serverB } }, never);
    assert.equal(full.kind, 'resource-exhausted');
    const model = { name: 'r640', manufacturer: 'Dell', model: 'R640', versionsToStore: 3 };
    assert.equal((await client.discover(model, never)).kind, 'accepted');
    assert.equal(await client.withdraw({ jobId: jobId ?? '', reason: 'changed' }, never), 'withdrawn');
    assert.equal(await client.withdraw({ jobId: 'nobody', reason: 'changed' }, never), 'unknown-job');
  });

  test(`${way}: controllers are told that no worker is online where a server is`, async (t) => {
    const rig = await setUpUpdates(t);
    const client = await open(t, rig);
    await rig.engine.worker.online({ id: 'w1', kinds: ['inventoryOOB'], facilities: ['elsewhere'] });
    const scan = async () => {
      const outcome = await client.scan({ server: target }, never);
      return 'waits' in outcome ? outcome.waits : undefined;
    };
    assert.equal((await scan())?.code, 'NoWorker');
    assert.match((await scan())?.message ?? '', /in facility fc1; workers are in elsewhere: start one/);
    await rig.engine.worker.online({ id: 'w2', kinds: ['inventoryOOB'], facilities: ['fc1'] });
    assert.equal(await scan(), undefined);
  });

  test(`${way}: controllers are told that the worker of an update is lost`, async (t) => {
    const rig = await setUpUpdates(t);
    await rig.addFirmware('2.10.0');
    const client = await open(t, rig);
    for (const id of ['w1', 'w2'])
      await rig.engine.worker.online({
        id,
        kinds: ['firmwareInstall'],
        facilities: ['fc1'],
        isFencedByHeartbeats: true,
      });
    const update = async () => {
      const outcome = await client.update({ server: target, firmwares: bios('2.10.0') }, never);
      return 'waits' in outcome ? outcome.waits : undefined;
    };
    assert.equal(await update(), undefined);
    await rig.engine.worker.lease('w1', { max: 1, waitMs: 0 });
    for (let passed = 0; passed < 40_000; passed += 5000) {
      rig.clock.advance(5000);
      await rig.engine.worker.heartbeat('w2');
      await rig.engine.sweep();
    }
    const wait = await update();
    assert.equal(wait?.code, 'WorkerLost');
    assert.match(wait?.message ?? '', /^worker lost, /);
  });

  test(`${way}: that something could not be taken back is not taken for too late`, async (t) => {
    const rig = await setUpUpdates(t);
    const cancel = () => Promise.reject(new Error('the database is away'));
    const client = await open(t, { ...rig, desks: { ...rig.desks, cancel } });
    await assert.rejects(client.withdraw({ jobId: 'j1', reason: 'changed' }, never));
  });

  test(`${way}: controllers are told when an update waits for a host that is in use`, async (t) => {
    const rig = await setUpUpdates(t);
    await rig.addFirmware('2.10.0');
    const client = await open(t, rig);
    const inUse = { code: 'HostInUse', message: 'BareMetalHost metal3/alpha is in use' };
    await rig.engine.machines.setHold(serverA, inUse);
    const update = { server: target, firmwares: bios('2.10.0') };
    for (const kind of ['accepted', 'already-scheduled']) {
      const outcome = await client.update(update, never);
      assert.deepEqual([outcome.kind, 'waits' in outcome && outcome.waits], [kind, inUse]);
    }
    const claimed = { code: 'ClaimedTwice', message: 'two claim it' };
    await rig.engine.machines.setHold(serverA, claimed);
    const twice = await client.update(update, never);
    assert.deepEqual('waits' in twice && twice.waits, claimed);
    await rig.engine.machines.setHold(serverA, { code: 'Other', message: 'passes by itself' });
    assert.equal('waits' in (await client.update(update, never)), false);
  });
}

test('an update service that is away is unavailable, not an exception', async () => {
  const client = createRpcClient({ url: 'http://127.0.0.1:9', token: async () => 'all' });
  assert.equal((await client.scan({ server: target }, never)).kind, 'unavailable');
});
