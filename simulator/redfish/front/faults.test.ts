import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { FaultRule } from '../../faults/fault.ts';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

const login = basic(fakeLogin);

async function start(context: TestContext, ...faults: FaultRule[]) {
  const fake = createFakeMachine();
  fake.faults.push(...faults);
  const tree = createFakeRoutes();
  const { urls, listeners } = await serve(context, [fake.machine], { routes: tree.routes });
  const read = (path = '/Systems') => ask(`${urls[0]}/redfish/v1${path}`, { headers: login });
  const act = () =>
    ask(`${urls[0]}/redfish/v1/Systems/a/Actions/ComputerSystem.Reset`, {
      method: 'POST',
      headers: login,
      body: '{"a":1}',
    });
  return { ...tree, fake, read, act, listeners, url: `${urls[0]}/redfish/v1` };
}

const isReset = (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET';

test('busy: 503 with a time to come back, then all is well', async (t) => {
  const { read } = await start(t, { kind: 'busy' });
  const answer = await read();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers['retry-after'], '30');
  assert.equal(answer.json.error.code, 'Base.1.8.ServiceTemporarilyUnavailable');
  assert.equal((await read()).status, 200);
});

test('busy for as long as the rule says', async (t) => {
  const { read } = await start(t, { kind: 'busy', durationMs: 1200 });
  assert.equal((await read()).headers['retry-after'], '2');
});

test('busy in the words of the vendor, save for reads it would call wrong', async (t) => {
  for (const [status, read, changed] of [
    [503, 503, 503],
    [400, 503, 400],
  ] as const) {
    const started = await start(t, { kind: 'busy' }, { kind: 'busy' });
    const answerBusy = () => ({ status, headers: { 'Retry-After': '7' }, body: { Vendor: 'says so' } });
    Object.assign(started.fake.machine.personality, { answerBusy });
    assert.equal((await started.read()).status, read);
    const answer = await started.act();
    assert.deepEqual(
      [answer.status, answer.headers['retry-after'], answer.json],
      [changed, '7', { Vendor: 'says so' }],
    );
  }
});

test('unauthorized-while-updating: 401 to the right password, and only while the BMC is flashed', async (t) => {
  const { read, fake } = await start(t, { kind: 'unauthorized-while-updating' });
  assert.equal((await read()).status, 200);
  fake.isUpdating = true;
  assert.equal((await read()).status, 401);
  assert.equal((await read()).status, 200);
});

test('slow-answer: comes after the simulated time of the rule', async (t) => {
  const { read, fake } = await start(t, { kind: 'slow-answer', durationMs: 45_000 });
  let isAnswered = false;
  const pending = read().then((answer) => {
    isAnswered = true;
    return answer.status;
  });
  await fake.clock.untilPending();
  fake.clock.advance(44_999);
  assert.equal(isAnswered, false);
  fake.clock.advance(1);
  assert.equal(await pending, 200);
});

test('connection-reset before anything is read, or after the body is read: nothing was done', async (t) => {
  for (const moment of ['before-reading', 'after-reading'] as const) {
    const { act, posted, fake } = await start(t, { kind: 'connection-reset', moment });
    await assert.rejects(act(), isReset, moment);
    assert.equal(posted.length, 0);
    assert.deepEqual(fake.lines, ['request POST /redfish/v1/Systems/a/Actions/ComputerSystem.Reset cut']);
    assert.equal((await act()).status, 202);
  }
});

test('connection-reset after acting, or in the middle of the answer: it was done and the client cannot know', async (t) => {
  for (const moment of ['after-acting', 'mid-answer'] as const) {
    const { act, posted, fake } = await start(t, { kind: 'connection-reset', moment });
    await assert.rejects(act(), isReset, moment);
    assert.equal(posted.length, 1);
    assert.deepEqual(fake.lines, ['request POST /redfish/v1/Systems/a/Actions/ComputerSystem.Reset 202 cut']);
  }
});

test('truncated-json, malformed-json: whole HTTP answers that no parser takes', async (t) => {
  for (const kind of ['truncated-json', 'malformed-json'] as const) {
    const { read } = await start(t, { kind });
    const answer = await read();
    assert.equal(answer.status, 200);
    assert.equal(Number(answer.headers['content-length']), answer.bytes.length);
    assert.throws(() => answer.json, SyntaxError, kind);
    assert.equal((await read()).json.Members.length, 5);
  }
});

test('wrong-content-type: JSON that says it is HTML', async (t) => {
  const { read } = await start(t, { kind: 'wrong-content-type' });
  const answer = await read();
  assert.equal(answer.headers['content-type'], 'text/html');
  assert.equal(answer.json.Members.length, 5);
});

test('a BMC that is away resets new connections and those that are open', async (t) => {
  const { fake, url, read, listeners } = await start(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const ping = () => ask(url, { agent });
  await ping();
  fake.isReachable = false;
  await assert.rejects(ping(), isReset, 'a connection that was kept');
  await assert.rejects(read(), isReset, 'a new one');
  fake.isReachable = true;
  const idle = connect(Number(new URL(url).port), '127.0.0.1');
  await once(idle, 'connect');
  await ping();
  const broken = once(idle, 'error');
  listeners.resetAll(fake.machine);
  assert.ok(isReset((await broken)[0]));
});

test('a request that is being answered when the BMC goes away is cut', async (t) => {
  const { fake, read } = await start(t, { kind: 'slow-answer', durationMs: 1000 });
  const pending = read();
  await fake.clock.untilPending();
  fake.isReachable = false;
  fake.clock.advance(1000);
  await assert.rejects(pending, isReset);
});

test('a client that gives up while it waits leaves no line: when that is noticed is a matter of real time', async (t) => {
  const { fake, url, read } = await start(t, { kind: 'slow-answer', durationMs: 60_000, times: 1 });
  const abort = new AbortController();
  const asked = fetch(`${url}/Systems/a/Actions/ComputerSystem.Reset`, {
    method: 'POST',
    headers: login,
    body: '{}',
    signal: abort.signal,
  });
  await fake.clock.untilPending();
  abort.abort();
  await assert.rejects(asked);
  // One after the other on the same server: by then the first has been noticed to be gone.
  fake.faults.length = 0;
  assert.equal((await read()).status, 200);
  fake.clock.advance(60_000);
  assert.deepEqual(
    fake.lines.filter((line) => line.startsWith('request')),
    [],
  );
});
