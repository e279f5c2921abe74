import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type JsonObject, targetOf } from '../../engine/index.ts';
import { openTracer, startOtlpReceiver } from '../../telemetry/index.ts';
import { type OrcRig, serverA, serverB, startOrc } from '../testing/orc-rig.ts';

const taskPath = `/servers/${serverA}/condition-task/powerOn`;

async function started(t: TestContext): Promise<{ rig: OrcRig; id: string }> {
  const rig = await startOrc(t);
  await rig.addMachine(serverB);
  await rig.addMachine(serverA);
  // Another server's work is older, and would be leased first by anybody who takes any.
  await rig.call('POST', `/servers/${serverB}/condition`, { kind: 'powerOn' });
  const { record } = await rig.call('POST', `/servers/${serverA}/condition`, { kind: 'powerOn' });
  return { rig, id: record.id };
}

const statusPath = (id: string) => `/servers/${serverA}/condition-status/powerOn/${id}`;

describe('an agent on the server itself', () => {
  test('gets the work of its own server, tells how it stands, and ends it', async (t) => {
    const { rig, id } = await started(t);
    const task = await rig.call('GET', taskPath, undefined, 'worker');
    assert.equal(task.status, 200, JSON.stringify(task.body));
    const shown = task.body.records as JsonObject;
    assert.deepEqual([shown.id, shown.state, shown.task_version], [id, 'active', '1.0']);
    assert.deepEqual(shown.server, { id: serverA });
    const data = { step: 2 };
    assert.equal((await rig.call('POST', `${taskPath}/${id}`, { ...shown, data }, 'worker')).status, 200);
    const status = { records: [{ ts: 'now', msg: 'half' }] };
    const news = { worker: 'x', msgVersion: 1, state: 'active', status };
    assert.equal((await rig.call('PUT', statusPath(id), news, 'worker')).status, 200);
    assert.deepEqual((await rig.call('GET', `/conditions/${id}`)).record.status, status);
    const again = await rig.call('GET', taskPath, undefined, 'worker');
    assert.deepEqual((again.body.records as JsonObject).data, data);
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'worker')).status, 200);
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'worker')).status, 200);
    assert.equal((await rig.call('GET', `/conditions/${id}`)).record.state, 'succeeded');
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'failed' }, 'worker')).status, 409);
    assert.equal((await rig.call('GET', taskPath, undefined, 'worker')).status, 404);
  });

  test('is one only by a token for workers: whoever may write all else gets no work and ends none (security.md: worker-tokens)', async (t) => {
    const { rig, id } = await started(t);
    const online = { workerId: 'w1', kinds: ['powerOn'], facilities: ['fc1'] };
    for (const answer of [
      await rig.call('POST', '/workers/online', online, 'writer'),
      await rig.call('POST', '/workers/lease', { workerId: 'w1', max: 1, waitMs: 0 }, 'writer'),
      await rig.call('GET', taskPath, undefined, 'writer'),
      await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'writer'),
    ]) {
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
      assert.match(String(answer.body.message), /lacks the scope update:worker/);
    }
    assert.equal((await rig.call('GET', '/workers', undefined, 'writer')).status, 200);
    assert.equal((await rig.call('GET', `/conditions/${id}`)).record.state, 'pending');
  });

  test('is told the trace that its work is part of, where there is one', async (t) => {
    const receiver = await startOtlpReceiver();
    const tracer = await openTracer({ endpoint: receiver.url, service: 'test' });
    t.after(() => receiver.close());
    const rig = await startOrc(t);
    const traceOf = async (server: string): Promise<unknown[]> => {
      const task = await rig.call('GET', `/servers/${server}/condition-task/powerOn`, undefined, 'worker');
      const { traceID, spanID } = task.body.records as JsonObject;
      return [traceID, spanID];
    };
    const order = async (server: string) => {
      await rig.addMachine(server);
      const asked = { target: targetOf(server), orders: [{ kind: 'powerOn', parameters: {} }], client: 'c' };
      await rig.engine.create(asked);
    };
    await order(serverA);
    await tracer.trace({ name: 'call' }, () => order(serverB));
    await tracer.close();
    const { traceId, spanId } = receiver.spans.find(({ name }) => name === 'order powerOn') ?? assert.fail();
    assert.deepEqual(await traceOf(serverA), ['', '']);
    assert.deepEqual(await traceOf(serverB), [traceId, spanId]);
  });

  test('keeps its lease by saying that it is still at it, and is told when it was too long silent', async (t) => {
    const { rig, id } = await started(t);
    await rig.call('GET', taskPath, undefined, 'worker');
    rig.clock.advance(8000);
    assert.equal((await rig.call('PUT', `${statusPath(id)}?ts_update=true`, {}, 'worker')).status, 200);
    rig.clock.advance(8000);
    assert.equal((await rig.call('GET', taskPath, undefined, 'worker')).status, 200);
    rig.clock.advance(2001);
    assert.equal((await rig.call('GET', taskPath, undefined, 'worker')).status, 422);
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'worker')).status, 409);
    await rig.engine.sweep();
    rig.clock.advance(5000);
    const again = await rig.call('GET', taskPath, undefined, 'worker');
    assert.equal((again.body.records as JsonObject).id, id);
  });

  test('cannot tell of work that another worker has, or that nobody has (security.md: attacker-with-worker-token)', async (t) => {
    const { rig, id } = await started(t);
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'worker')).status, 409);
    await rig.engine.worker.online({ id: 'w1', kinds: ['powerOn'], facilities: ['fc1'] });
    await rig.engine.worker.lease('w1', { max: 2, waitMs: 0 });
    assert.equal((await rig.call('GET', taskPath, undefined, 'worker')).status, 409);
    assert.equal((await rig.call('PUT', statusPath(id), { state: 'succeeded' }, 'worker')).status, 409);
    assert.equal((await rig.call('GET', `/conditions/${id}`)).record.state, 'active');
  });

  test('a failure has the last word of the agent as its reason', async (t) => {
    const { rig, id } = await started(t);
    await rig.call('GET', taskPath, undefined, 'worker');
    const status = { records: [{ msg: 'one' }, { msg: 'the tool failed' }] };
    await rig.call('PUT', statusPath(id), { state: 'failed', status }, 'worker');
    assert.equal((await rig.call('GET', `/conditions/${id}`)).record.reason?.message, 'the tool failed');
  });

  test('what does not belong together is 404, and whoever is no worker is 403', async (t) => {
    const { rig, id } = await started(t);
    const elsewhere = `/servers/${serverB}/condition-status/powerOn/${id}`;
    assert.equal((await rig.call('PUT', elsewhere, { state: 'failed' }, 'worker')).status, 404);
    const otherKind = `/servers/${serverA}/condition-status/biosControl/${id}`;
    assert.equal((await rig.call('PUT', otherKind, { state: 'failed' }, 'worker')).status, 404);
    assert.equal((await rig.call('GET', taskPath, undefined, 'conditions')).status, 403);
  });
});
