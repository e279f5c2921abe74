import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type BusHint, createLocalBus, type JsonObject } from '../../engine/index.ts';
import { InventoryError } from '../../serverservice/index.ts';
import { createLogger, createMetrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { createOrcMetrics } from '../orc-metrics.ts';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { imageA, type OrcRig, serverA, serverB, setA, startOrc } from '../testing/orc-rig.ts';
import { until } from '../testing/until.ts';
import { hintWorker } from './hint-online.ts';
import { type OrcLoopOptions, runConditionOrc } from './run-condition-orc.ts';

const w1 = { id: 'w1', kinds: ['powerOn', 'inventoryOOB'], facilities: ['fc1'] };

async function run(t: TestContext, rig: OrcRig, options: Partial<OrcLoopOptions> = {}) {
  const { engine, database, clock, inventory } = rig;
  const loop = await runConditionOrc({ engine, database, clock, inventory, random: () => 0.5, ...options });
  t.after(() => loop.stop());
  return loop;
}

async function started(t: TestContext, options: Parameters<typeof startOrc>[1] = {}): Promise<OrcRig> {
  const rig = await startOrc(t, options);
  await rig.addMachine(serverA);
  await rig.addMachine(serverB);
  return rig;
}

async function areDelivered(rig: OrcRig, count: number): Promise<boolean> {
  const records = (await rig.call('GET', '/notices')).body.records as JsonObject[];
  return records.length === count && records.every(({ delivery }) => delivery === 'delivered');
}

const powerOn = (rig: OrcRig, server: string) => rig.call('POST', `/servers/${server}/condition`, { kind: 'powerOn' });

async function leaseOne(rig: OrcRig, worker: string) {
  const [lease] = await rig.engine.worker.lease(worker, { max: 1, waitMs: 0 });
  assert.ok(lease);
  return { lease, held: { conditionId: lease.condition.id, token: lease.token } };
}

/** A webhook that answers with these statuses, then with 200. */
async function listenForNotices(t: TestContext, statuses: number[] = []) {
  const heard: { readonly body: JsonObject; readonly request: IncomingMessage; readonly text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    heard.push({ body: JSON.parse(text) as JsonObject, request, text });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

describe('conditionOrc by itself', () => {
  test('gives the work of a dead worker to another one, and operators are told what it was doing', async (t) => {
    const rig = await started(t);
    const { heard, url } = await listenForNotices(t);
    const metrics = createMetrics();
    const told: string[] = [];
    await rig.engine.worker.online(w1);
    const { record } = await powerOn(rig, serverA);
    const { held } = await leaseOne(rig, 'w1');
    await rig.engine.worker.report(held, { status: { step: 'half', password: 'calvin' }, isCancelUnsafe: true });
    const webhook = { url, token: 'hook-token', secret: 'hook-secret' };
    await run(t, rig, { webhook, metrics, onNotice: ({ type }) => told.push(type) });
    await until(rig.clock, () => areDelivered(rig, 2));
    assert.deepEqual(told.toSorted(), ['WorkTakenAway', 'WorkerLost']);
    const lost = heard.find(({ body }) => body.type === 'WorkerLost');
    assert.ok(lost);
    assert.match(String(lost.body.message), /w1 went silent.*powerOn on 0a0.*flash/);
    assert.equal((lost.body.doing as JsonObject[])[0]?.conditionId, record.id);
    assert.equal(lost.request.headers.authorization, 'Bearer hook-token');
    assert.match(String(lost.request.headers['x-rackwright-signature']), /^sha256=[0-9a-f]{64}$/);
    assert.doesNotMatch(JSON.stringify(heard.map(({ text }) => text)), /calvin/);
    await rig.engine.worker.online({ ...w1, id: 'w2' });
    const next = await leaseOne(rig, 'w2');
    assert.equal(next.lease.condition.id, record.id);
    assert.deepEqual(next.lease.previous?.controller, 'w1');
    assert.equal((await rig.engine.worker.report(held, { state: 'succeeded' })).outcome, 'lost');
    const exposed = await metrics.expose();
    assert.match(exposed, /conditionorc_notices_total\{type="WorkerLost"\} 1/);
    assert.match(exposed, /conditionorc_workers_of_kind\{kind="powerOn"\} 0/);
    assert.match(exposed, /conditionorc_notice_deliveries_total\{outcome="delivered"\} 2/);
  });

  test('takes work away from a worker that lives but makes no progress', async (t) => {
    const rig = await started(t);
    await rig.engine.worker.online(w1);
    await powerOn(rig, serverA);
    const { held } = await leaseOne(rig, 'w1');
    const types: string[] = [];
    await run(t, rig, { onNotice: ({ type }) => types.push(type) });
    await until(rig.clock, async () => {
      await rig.engine.worker.heartbeat('w1');
      return types.length > 0;
    });
    assert.deepEqual(types, ['WorkTakenAway']);
    await assert.rejects(rig.engine.worker.check(held));
  });

  test('a webhook that fails is tried again, but not for ever, and nothing waits for it', async (t) => {
    const rig = await started(t);
    const { heard, url } = await listenForNotices(
      t,
      Array.from({ length: 50 }, () => 500),
    );
    const metrics = createMetrics();
    await rig.engine.worker.online(w1);
    await run(t, rig, { webhook: { url }, metrics });
    const delivery = async () => {
      const { body } = await rig.call('GET', '/notices');
      return (body.records as JsonObject[])[0]?.delivery;
    };
    await until(rig.clock, () => heard.length >= 1);
    await powerOn(rig, serverA);
    assert.equal(await delivery(), 'waiting');
    for (let hours = 0; hours < 24 && (await delivery()) !== 'given-up'; hours++) {
      const before = heard.length;
      rig.clock.advance(3_600_000);
      await until(rig.clock, async () => heard.length > before || (await delivery()) === 'given-up');
    }
    assert.equal(await delivery(), 'given-up');
    assert.equal(heard.length, 8);
    assert.match(await metrics.expose(), /notice_deliveries_total\{outcome="given-up"\} 1/);
  });

  test('of two on one store each notice is sent by one', async (t) => {
    const rig = await started(t);
    const { heard, url } = await listenForNotices(t);
    await rig.engine.worker.online(w1);
    await rig.engine.worker.online({ ...w1, id: 'w2' });
    const told: string[] = [];
    for (let process = 0; process < 2; process++) {
      await run(t, rig, { webhook: { url }, onNotice: ({ controller }) => told.push(controller) });
    }
    await until(rig.clock, () => areDelivered(rig, 2));
    assert.deepEqual(heard.map(({ body }) => body.controller).toSorted(), ['w1', 'w2']);
    assert.deepEqual(told.toSorted(), ['w1', 'w2']);
  });

  test('publishes what is not final again and again until it is', async (t) => {
    const bus = createLocalBus();
    t.after(() => bus.close());
    const rig = await started(t, { bus });
    const hints: BusHint[] = [];
    const order = { facilities: ['fc1'], kinds: ['powerOn'], workerId: 'w1' };
    const { record } = await powerOn(rig, serverA);
    await bus.takeWork(order, (hint) => hints.push(hint));
    await run(t, rig, { bus });
    await until(rig.clock, () => hints.length >= 3);
    assert.ok(hints.every((hint) => hint.about === 'work' && hint.conditionId === record.id));
    await rig.call('POST', `/conditions/${record.id}/cancel`, {});
    await rig.engine.sweep();
    const before = hints.length;
    rig.clock.advance(300_000);
    await rig.engine.sweep();
    assert.equal(hints.length, before);
  });

  test('a worker that comes online is hinted of its unresolved conditions at once, and of no others', async (t) => {
    // Only conditionOrc publishes on this bus: the engine has none.
    const bus = createLocalBus();
    t.after(() => bus.close());
    const rig = await started(t);
    const elsewhere = '0c000000-0000-4000-8000-00000000000c';
    await rig.addMachine(elsewhere, { facility: 'fc2' });
    const { record } = await powerOn(rig, serverA);
    await powerOn(rig, elsewhere);
    await rig.call('POST', `/servers/${serverB}/condition`, { kind: 'biosControl' });
    await run(t, rig, { bus });
    const heard = Promise.withResolvers<BusHint>();
    const all = { facilities: ['fc1', 'fc2'], kinds: ['powerOn', 'biosControl'], workerId: 'x' };
    await bus.takeWork(all, heard.resolve);
    await rig.engine.worker.online(w1);
    await bus.publish({ about: 'online', workerId: 'w1' });
    assert.deepEqual(await heard.promise, {
      about: 'work',
      facility: 'fc1',
      kind: 'powerOn',
      conditionId: record.id,
    });
    const parts = { engine: rig.engine, bus, logger: silentLogger, metrics: createOrcMetrics(noMetrics) };
    assert.equal(await hintWorker(parts, 'w1'), 1);
    assert.equal(await hintWorker(parts, 'nobody'), 0);
  });

  test('ends go into the history of their server, also when the inventory was away', async (t) => {
    const rig = await started(t);
    const metrics = createMetrics();
    await rig.engine.worker.online(w1);
    const { record } = await powerOn(rig, serverA);
    const { held } = await leaseOne(rig, 'w1');
    await rig.engine.worker.report(held, { state: 'failed', reason: { code: 'BmcGone', message: 'no answer' } });
    rig.inventory.failure = new Error('away');
    await run(t, rig, { metrics });
    await until(rig.clock, () => rig.inventory.ends.length > 0);
    const [end] = rig.inventory.ends;
    assert.equal(end?.unit, record.id);
    assert.deepEqual(end?.status, { reason: { code: 'BmcGone', message: 'no answer' } });
    assert.match(
      await metrics.expose(),
      /condition_completed\{conditionKind="powerOn",state="failed"\} 1[\s\S]*dependencies_errors_total\{dependency_name="serverservice",operation="recordEnd"\} 1/,
    );
  });

  test('an end that the history can never take is counted and told, and those of other servers follow', async (t) => {
    const rig = await started(t);
    const metrics = createMetrics();
    await rig.engine.worker.online(w1);
    const ids: string[] = [];
    for (const server of [serverA, serverB]) {
      ids.push((await powerOn(rig, server)).record.id);
      const { held } = await leaseOne(rig, 'w1');
      await rig.engine.worker.report(held, { state: 'succeeded' });
    }
    rig.inventory.failure = new InventoryError('badValue', { what: 'event' }, { problems: ['it is too odd'] });
    const told: string[] = [];
    const logger = createLogger({ level: 'error', write: (line) => told.push(line) });
    await run(t, rig, { metrics, logger });
    await until(rig.clock, () => rig.inventory.ends.length > 0);
    assert.deepEqual(
      rig.inventory.ends.map(({ id }) => id),
      ids.slice(1),
    );
    assert.match(told.join(''), new RegExp(`"condition":"${ids[0]}".*too odd.*cannot take it`));
    assert.match(await metrics.expose(), /conditionorc_ends_refused_total\{conditionKind="powerOn"\} 1/);
  });

  for (const state of ['succeeded', 'failed'] as const) {
    test(`an install that ${state} is followed by one inventory, and so is that of another server when one is deleted`, async (t) => {
      const rig = await started(t);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      await rig.engine.worker.online({ ...w1, kinds: ['firmwareInstall', 'inventoryOOB'] });
      for (const server of [serverA, serverB]) {
        await rig.call('POST', `/servers/${server}/firmwareInstall`, { firmware_set_id: setA });
        const { held } = await leaseOne(rig, 'w1');
        await rig.engine.worker.report(held, { state });
        const { body } = await rig.call('GET', `/servers/${server}/status`);
        const { state: shown, inventory_outdated: outdated } = body.records as {
          state: string;
          inventory_outdated?: { condition_id: string; message: string };
        };
        assert.deepEqual([shown, outdated?.condition_id], [state, held.conditionId]);
        assert.match(
          outdated?.message ?? '',
          /the inventory is from before .*, which ended at .*; the server is read again/,
        );
      }
      await rig.call('DELETE', `/servers/${serverA}`);
      await run(t, rig);
      const open = async () => (await rig.engine.list({ kind: 'inventoryOOB', states: ['pending'] })).conditions;
      await until(rig.clock, async () => (await open()).length > 0);
      assert.deepEqual(
        (await open()).map(({ target, client }) => [target, client]),
        [[`server/${serverB}`, 'engine/reread']],
      );
    });
  }

  test('a deadline that passes fails what waits, and the text of that is kept', async (t) => {
    const rig = await started(t);
    const { record } = await rig.call('POST', `/servers/${serverA}/condition`, {
      kind: 'powerOn',
      deadline_ms: 60_000,
    });
    await run(t, rig);
    const read = async () => (await rig.call('GET', `/conditions/${record.id}`)).record;
    await until(rig.clock, async () => (await read()).state === 'failed');
    const { reason } = await read();
    assert.equal(reason?.code, 'DeadlinePassed');
    assert.match(String(reason?.message), /was pending at its deadline/);
  });

  test('garbage is collected: what ended long ago is history', async (t) => {
    const rig = await started(t, { settings: { retentionMs: 60_000 } });
    const { record } = await powerOn(rig, serverA);
    await rig.call('POST', `/conditions/${record.id}/cancel`, {});
    await run(t, rig);
    await until(rig.clock, async () => (await rig.engine.list({})).conditions.length === 0);
    assert.equal((await rig.call('GET', `/conditions/${record.id}`)).record.state, 'failed');
  });
});
